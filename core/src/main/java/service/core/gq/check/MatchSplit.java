package service.core.gq.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.Mentions;
import service.core.text.Span;

/**
 * Divides a match at its {@code let} and {@code for}: each becomes the end of a part, which holds the clauses that its
 * expression depends on. The rest of the match, which may depend on the variable, is the last part. So the order of the
 * clauses does not matter.
 */
final class MatchSplit {
    /**
     * A part of a match.
     *
     * @param given the {@code let} or {@code for} after the clauses
     */
    record Part(ClauseSyntax.Block block, ClauseSyntax given) {}

    private final QueryFindings findings;
    private final Span span;
    private final List<ClauseSyntax> clauses = new ArrayList<>();
    private final List<ClauseSyntax> givens = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private final IdentityHashMap<ClauseSyntax, Set<String>> mentioned = new IdentityHashMap<>();

    /** Names that are bound before the clauses that are left. */
    private final Set<String> bound;

    private MatchSplit(QueryFindings findings, ClauseSyntax.Block match, Set<String> bound) {
        this.findings = findings;
        this.span = match.span();
        this.bound = new HashSet<>(bound);
        for (ClauseSyntax clause : match.clauses()) {
            boolean isGiven = clause instanceof ClauseSyntax.Let || clause instanceof ClauseSyntax.For;
            (isGiven ? givens : clauses).add(clause);
        }
    }

    /**
     * The parts of a match, without the last.
     *
     * @param bound names that are bound before the match, with the parameters
     * @param rest receives the clauses of the last part
     */
    static List<Part> of(QueryFindings findings, ClauseSyntax.Block match, Set<String> bound, List<ClauseSyntax> rest) {
        MatchSplit split = new MatchSplit(findings, match, bound);
        while (!split.givens.isEmpty()) {
            split.takeNext();
        }
        rest.addAll(split.clauses);
        return split.parts;
    }

    private void takeNext() {
        Set<String> waiting = new HashSet<>();
        givens.forEach(given -> waiting.add(nameOf(given)));
        for (ClauseSyntax given : givens) {
            Set<String> needed = new HashSet<>(mentionedBy(given));
            if (needed.stream().noneMatch(waiting::contains)) {
                givens.remove(given);
                List<ClauseSyntax> taken = connected(needed, waiting);
                parts.add(new Part(new ClauseSyntax.Block(taken, span), given));
                bound.add(nameOf(given));
                return;
            }
        }
        ClauseSyntax first = givens.getFirst();
        throw findings.refuse(
                "T6",
                first.span(),
                "`$" + nameOf(first) + "` depends on itself",
                "give the variable of `let` or `for` a name of its own");
    }

    /** Takes the clauses that bind the names, and all that are connected with those and need nothing that waits. */
    private List<ClauseSyntax> connected(Set<String> needed, Set<String> waiting) {
        Set<String> reached = new HashSet<>(needed);
        reached.removeAll(bound);
        List<ClauseSyntax> taken = new ArrayList<>();
        boolean grew = true;
        while (grew) {
            grew = false;
            for (ClauseSyntax clause : List.copyOf(clauses)) {
                Set<String> names = mentionedBy(clause);
                findings.work().steps(1 + names.size());
                boolean isReady = names.stream().noneMatch(waiting::contains);
                if (isReady && names.stream().anyMatch(reached::contains)) {
                    clauses.remove(clause);
                    taken.add(clause);
                    names.stream().filter(name -> !bound.contains(name)).forEach(reached::add);
                    grew = true;
                }
            }
        }
        bound.addAll(reached);
        return taken;
    }

    private Set<String> mentionedBy(ClauseSyntax clause) {
        return mentioned.computeIfAbsent(clause, Mentions::of);
    }

    private static String nameOf(ClauseSyntax given) {
        return String.valueOf(
                switch (given) {
                    case ClauseSyntax.Let let -> let.variable().name();
                    case ClauseSyntax.For each -> each.variable().name();
                    default -> throw new IllegalStateException("binds no value: " + given);
                });
    }
}
