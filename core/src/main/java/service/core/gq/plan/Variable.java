package service.core.gq.plan;

import java.util.List;
import service.core.value.EntityKind;

/**
 * A variable of a pattern. Slots count from 0 over the whole query, in the order in which bindings and traversals first
 * name the variables. Ties of a sort are broken in the same order.
 *
 * @param name without the {@code $}; an anonymous variable ({@code $_}) has a name that no source can contain
 * @param types the possible type identities, ascending; several for an interface or for alternatives of edges
 */
public record Variable(int slot, String name, EntityKind kind, List<Integer> types) {}
