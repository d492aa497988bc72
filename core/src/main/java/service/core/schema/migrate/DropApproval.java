package service.core.schema.migrate;

import java.util.Set;

/**
 * The approved drops of types that still have entities.
 *
 * @param all whether every drop is approved
 * @param types otherwise the approved types, by their names in the accepted schema
 * @param remedy what to type for an approval, with {@code %s} for the name of the type
 */
public record DropApproval(boolean all, Set<String> types, String remedy) {
    public DropApproval {
        types = Set.copyOf(types);
    }

    /** No drop is approved. */
    public static DropApproval none(String remedy) {
        return new DropApproval(false, Set.of(), remedy);
    }

    /** Every drop is approved. */
    public static DropApproval every() {
        return new DropApproval(true, Set.of(), "");
    }

    boolean approves(String type) {
        return all || types.contains(type);
    }

    String remedyFor(String type) {
        return remedy.replace("%s", type);
    }
}
