package service.core.schema.migrate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;

/**
 * Finds for each desired name the accepted thing that it continues, by {@code @rename_from} or by an equal name.
 *
 * <p>An annotation that the accepted thing of that name has already was applied by an earlier migration and has no
 * effect. So a schema that keeps its annotations can be applied again, even after two names were swapped. All renames
 * happen at once: a chain (a to b, b to c) and a swap need no order.
 */
final class NameMatch {
    /** @param renamedFrom the argument of its {@code @rename_from}, or null */
    record Named(String name, @Nullable String renamedFrom) {}

    /** A rename that cannot be followed; {@code message} is a whole sentence with the remedy. */
    record Problem(String name, String renamedFrom, String message) {}

    /** Accepted names by the desired names that continue them. */
    final Map<String, String> pairs = new LinkedHashMap<>();

    /** Accepted names that nothing continues. */
    final List<String> dropped = new ArrayList<>();

    final List<Problem> problems = new ArrayList<>();

    private final Map<String, Named> accepted = new LinkedHashMap<>();
    private final UnaryOperator<String> fold;
    private final String what;

    /**
     * @param fold makes names equal that a schema does not distinguish
     * @param what the word for one of the things, for messages
     */
    NameMatch(List<Named> accepted, List<Named> desired, UnaryOperator<String> fold, String what) {
        this.fold = fold;
        this.what = what;
        accepted.forEach(thing -> this.accepted.put(fold.apply(thing.name), thing));
        match(desired);
    }

    /**
     * The match of things that have one identity in both schemas.
     *
     * @param accepted names by identity
     * @param desired names by identity
     */
    static NameMatch ofIdentities(Map<Integer, String> accepted, Map<Integer, String> desired) {
        NameMatch match = new NameMatch(List.of(), List.of(), UnaryOperator.identity(), "");
        desired.forEach((identity, name) -> {
            String old = accepted.get(identity);
            if (old != null) {
                match.pairs.put(name, old);
            }
        });
        accepted.forEach((identity, name) -> {
            if (!desired.containsKey(identity)) {
                match.dropped.add(name);
            }
        });
        return match;
    }

    private void match(List<Named> desired) {
        Map<String, Named> claims = claims(desired);
        Set<String> renamed = new HashSet<>();
        claims.forEach((old, thing) -> {
            String own = fold.apply(thing.name);
            if (accepted.containsKey(own) && !claims.containsKey(own)) {
                problem(
                        thing,
                        "exists already and cannot be the new name of `%s`: drop or rename it in a migration before"
                                .formatted(thing.renamedFrom));
            } else {
                pairs.put(thing.name, old(old));
                renamed.add(old);
            }
        });
        for (Named thing : desired) {
            String own = fold.apply(thing.name);
            if (!pairs.containsKey(thing.name) && accepted.containsKey(own) && renamed.add(own)) {
                pairs.put(thing.name, old(own));
            }
        }
        accepted.forEach((key, thing) -> {
            if (!renamed.contains(key)) {
                dropped.add(thing.name);
            }
        });
        for (Named thing : desired) {
            refuseUnknown(thing);
        }
    }

    /** The renames to do, by accepted name. */
    private Map<String, Named> claims(List<Named> desired) {
        Map<String, Named> claims = new LinkedHashMap<>();
        for (Named thing : desired) {
            String from = thing.renamedFrom == null ? null : fold.apply(thing.renamedFrom);
            if (from == null
                    || !accepted.containsKey(from)
                    || from.equals(fold.apply(thing.name))
                    || isApplied(thing)) {
                continue;
            }
            Named other = claims.putIfAbsent(from, thing);
            if (other != null) {
                problem(
                        thing,
                        "and `%s` both name `%s` in @rename_from: leave out one of them"
                                .formatted(other.name, thing.renamedFrom));
            }
        }
        return claims;
    }

    private boolean isApplied(Named thing) {
        Named same = accepted.get(fold.apply(thing.name));
        return same != null
                && same.renamedFrom != null
                && thing.renamedFrom != null
                && fold.apply(same.renamedFrom).equals(fold.apply(thing.renamedFrom));
    }

    /** A wrong old name would drop data without a word, so it is refused when there is something to drop. */
    private void refuseUnknown(Named thing) {
        if (thing.renamedFrom == null
                || pairs.containsKey(thing.name)
                || dropped.isEmpty()
                || accepted.containsKey(fold.apply(thing.renamedFrom))) {
            return;
        }
        String hint = Suggestion.didYouMean(thing.renamedFrom, dropped);
        problem(
                thing,
                "is to be the new name of `%s`, which does not exist%s: name one of %s, or leave out @rename_from"
                        .formatted(
                                thing.renamedFrom,
                                hint == null ? "" : "; " + hint,
                                "`" + String.join("`, `", dropped) + "`"));
    }

    private void problem(Named thing, String end) {
        String from = thing.renamedFrom == null ? "" : thing.renamedFrom;
        problems.add(new Problem(thing.name, from, what + " `" + thing.name + "` " + end));
    }

    private String old(String key) {
        Named thing = accepted.get(key);
        if (thing == null) {
            throw new IllegalStateException("no accepted thing is called " + key);
        }
        return thing.name;
    }
}
