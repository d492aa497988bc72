package service.core.graph.request;

import service.core.value.EntityKind;

/**
 * How many entities of a type a commit changed.
 *
 * @param name of the type in the schema of the commit
 */
public record TypeChanges(EntityKind kind, String name, int inserted, int updated, int deleted) {}
