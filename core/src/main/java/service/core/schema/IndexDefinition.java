package service.core.schema;

import java.util.List;

/**
 * A property index: what {@code @key}, {@code @unique} and {@code @index} declare. Entities with a null member are not
 * in it.
 *
 * @param identity dense per graph and stable for the same type and members
 * @param typeIdentity the node or edge type
 * @param members property identities in declared order, or {@link Constraint#SRC}/{@link Constraint#DST}
 */
public record IndexDefinition(int identity, int typeIdentity, List<Integer> members, boolean unique) {}
