package service.core.gq.plan;

import java.util.List;
import service.core.value.EntityKind;

/**
 * A variable of a pattern. Slots count from 0 over the whole query in the order in which bindings and traversals first
 * name the variables: also the order in which ties of a sort are broken.
 *
 * @param name without the {@code $}; anonymous ones ({@code $_}) bear a name that no source can spell
 * @param types the type identities it may take, ascending; several for an interface or for alternatives of edges
 */
public record Variable(int slot, String name, EntityKind kind, List<Integer> types) {}
