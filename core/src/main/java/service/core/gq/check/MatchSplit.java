package service.core.gq.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.Mentions;
import service.core.text.Span;

/**
 * Divides a block at its {@code let} and {@code for}, and at optional blocks that hold such clauses: each becomes the
 * end of a part, which holds the clauses that it depends on. The rest of the block, which may depend on the variables,
 * is the last part. So the order of the clauses does not matter.
 */
final class MatchSplit {
    /**
     * A part of a block.
     *
     * @param end the clause after the others, which divides the block
     */
    record Part(ClauseSyntax.Block block, ClauseSyntax end) {}

    private final QueryFindings findings;
    private final Span span;
    private final List<ClauseSyntax> clauses = new ArrayList<>();

    /** The clauses that divide the block and are left. */
    private final List<ClauseSyntax> ends = new ArrayList<>();

    private final List<Part> parts = new ArrayList<>();
    private final IdentityHashMap<ClauseSyntax, Set<String>> mentioned = new IdentityHashMap<>();
    private final IdentityHashMap<ClauseSyntax, Set<String>> binding = new IdentityHashMap<>();

    /** Names that are bound before the clauses that are left. */
    private final Set<String> bound;

    private MatchSplit(QueryFindings findings, ClauseSyntax.Block block, Set<String> bound) {
        this.findings = findings;
        this.span = block.span();
        this.bound = new HashSet<>(bound);
        for (ClauseSyntax clause : block.clauses()) {
            (clause.divides() ? ends : clauses).add(clause);
        }
    }

    /**
     * The parts of a block, without the last.
     *
     * @param bound names that are bound before the block, with the parameters
     * @param rest receives the clauses of the last part
     */
    static List<Part> of(QueryFindings findings, ClauseSyntax.Block block, Set<String> bound, List<ClauseSyntax> rest) {
        MatchSplit split = new MatchSplit(findings, block, bound);
        while (!split.ends.isEmpty()) {
            split.takeNext();
        }
        rest.addAll(split.clauses);
        return split.parts;
    }

    private void takeNext() {
        Set<String> waiting = new HashSet<>();
        ends.forEach(end -> waiting.addAll(boundAt(end)));
        for (ClauseSyntax end : ends) {
            Set<String> needed = new HashSet<>(mentionedBy(end));
            Set<String> own = boundAt(end);
            if (end instanceof ClauseSyntax.OptionalBlock) {
                needed.removeAll(own);
            }
            if (needed.stream().noneMatch(waiting::contains)) {
                ends.remove(end);
                List<ClauseSyntax> taken = connected(needed, waiting);
                parts.add(new Part(new ClauseSyntax.Block(taken, span), end));
                bound.addAll(own);
                return;
            }
        }
        ClauseSyntax first = ends.getFirst();
        throw findings.refuse(
                "T6",
                first.span(),
                "`$" + String.join("`, `$", new TreeSet<>(boundAt(first))) + "` depends on itself",
                "give the variable of `let` or `for` a name of its own");
    }

    /**
     * The names that a clause which divides the block binds. What an optional block shares with other clauses they
     * bind, but for later optional blocks.
     */
    private Set<String> boundAt(ClauseSyntax end) {
        Set<String> names = new HashSet<>(boundBy(end));
        names.removeAll(bound);
        findings.work().steps(clauses.size() + ends.size());
        if (end instanceof ClauseSyntax.OptionalBlock) {
            Stream.of(clauses, ends)
                    .flatMap(List::stream)
                    .filter(each -> !(each instanceof ClauseSyntax.OptionalBlock)
                            || each.span().start() < end.span().start())
                    .forEach(each -> names.removeAll(boundBy(each)));
        }
        return names;
    }

    /**
     * Takes the clauses that bind the names, and all that are connected with those and need nothing that waits. They
     * stay in the order of the source, since an optional block may use variables of an earlier one.
     */
    private List<ClauseSyntax> connected(Set<String> needed, Set<String> waiting) {
        Set<String> reached = new HashSet<>(needed);
        reached.removeAll(bound);
        Set<ClauseSyntax> found = Collections.newSetFromMap(new IdentityHashMap<>());
        boolean grew = true;
        while (grew) {
            grew = false;
            for (ClauseSyntax clause : clauses) {
                Set<String> names = mentionedBy(clause);
                findings.work().steps(1 + names.size());
                boolean isReady = !found.contains(clause) && names.stream().noneMatch(waiting::contains);
                if (isReady && names.stream().anyMatch(reached::contains)) {
                    found.add(clause);
                    names.stream().filter(name -> !bound.contains(name)).forEach(reached::add);
                    grew = true;
                }
            }
        }
        leaveUnbound(found);
        List<ClauseSyntax> taken = clauses.stream().filter(found::contains).toList();
        clauses.removeAll(found);
        taken.forEach(clause -> bound.addAll(boundBy(clause)));
        return taken;
    }

    /**
     * Leaves out the clauses that use a variable which a clause left out binds: without its binding the name would be
     * unknown, or another variable within an inner block.
     */
    private void leaveUnbound(Set<ClauseSyntax> found) {
        Map<String, List<ClauseSyntax>> binders = new HashMap<>();
        for (boolean optional : new boolean[] {false, true}) {
            Map<String, List<ClauseSyntax>> some = new HashMap<>();
            for (ClauseSyntax clause : clauses) {
                if (clause instanceof ClauseSyntax.OptionalBlock == optional) {
                    for (String name : boundBy(clause)) {
                        List<ClauseSyntax> those = some.computeIfAbsent(name, each -> new ArrayList<>());
                        // Of several optional blocks the first one binds the variable, and the others use it.
                        if (!optional || those.isEmpty()) {
                            those.add(clause);
                        }
                    }
                }
            }
            some.forEach(binders::putIfAbsent);
        }
        boolean shrank = true;
        while (shrank) {
            shrank = found.removeIf(clause -> {
                Set<String> names = mentionedBy(clause);
                findings.work().steps(1 + names.size());
                return names.stream()
                        .filter(name -> !bound.contains(name))
                        .map(name -> binders.getOrDefault(name, List.of()))
                        .anyMatch(those -> !those.isEmpty() && those.stream().noneMatch(found::contains));
            });
        }
    }

    /** The variables that a clause binds for the clauses beside it. */
    private Set<String> boundBy(ClauseSyntax clause) {
        return binding.computeIfAbsent(clause, each -> {
            Set<String> names = new HashSet<>();
            addBound(each, names);
            return names;
        });
    }

    private static void addBound(ClauseSyntax clause, Set<String> into) {
        switch (clause) {
            case ClauseSyntax.Binding c -> addName(c.variable(), into);
            case ClauseSyntax.Traversal c -> {
                addName(c.left(), into);
                addName(c.edge(), into);
                addName(c.right(), into);
            }
            case ClauseSyntax.OptionalBlock c -> c.block().clauses().forEach(each -> addBound(each, into));
            case ClauseSyntax.Filter ignored -> {}
            case ClauseSyntax.Given c -> addName(c.variable(), into);
        }
    }

    private static void addName(ClauseSyntax.@Nullable VariableSyntax variable, Set<String> into) {
        if (variable != null && variable.name() != null) {
            into.add(variable.name());
        }
    }

    private Set<String> mentionedBy(ClauseSyntax clause) {
        return mentioned.computeIfAbsent(clause, Mentions::of);
    }
}
