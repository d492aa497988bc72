package service.core.schema;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import service.core.text.Findings;

/** Collects and checks the key of one type while the catalog is built. */
final class KeyRules {
    private static final List<Integer> ENDS = List.of(Constraint.SRC, Constraint.DST);

    private final Findings findings;
    private final String type;
    private final boolean edge;
    private List<Integer> key = List.of();

    /** @param type its name */
    KeyRules(Findings findings, String type, boolean edge) {
        this.findings = findings;
        this.type = type;
        this.edge = edge;
    }

    /** As in {@link EntityType#key}. */
    List<Integer> key() {
        return key.stream().sorted(Comparator.comparingInt(KeyRules::place)).toList();
    }

    private static int place(int member) {
        return member > 0 ? member : -Integer.MAX_VALUE - member;
    }

    /**
     * Takes a key, or notes why the type cannot have it.
     *
     * @param members in declared order
     * @param properties of the type
     * @param at where the key is written
     */
    boolean accept(List<Integer> members, Collection<Property> properties, int at) {
        if (key.equals(members)) {
            return true;
        }
        if (edge && !members.subList(0, Math.min(ENDS.size(), members.size())).equals(ENDS)) {
            return refuse(
                    at,
                    "the key of an edge begins with its ends",
                    "write @key(src, dst), or name properties after them, as in @key(src, dst, since)");
        }
        if (!key.isEmpty()) {
            return refuse(
                    at,
                    "`" + type + "` has a @key already; a type has at most one",
                    edge ? "write @unique here" : "write @unique here, or one key of both: @key(a, b)");
        }
        for (Property property : properties) {
            if (members.contains(property.identity()) && property.nullable()) {
                return refuse(
                        at, "`" + property.name() + "` is nullable, and a @key member is not", "leave out the `?`");
            }
        }
        key = List.copyOf(members);
        return true;
    }

    private boolean refuse(int at, String message, String remedy) {
        findings.add("PG-CO-003", at, message, remedy);
        return false;
    }
}
