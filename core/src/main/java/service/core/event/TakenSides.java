package service.core.event;

/**
 * The sides that the resolutions of a merge took, as its commit records them.
 *
 * @param source number of entities that took the state of the merged branch
 * @param target number of entities that kept the state of the branch merged into
 * @param entities each of them, named as in the schema of the commit: a JSON array of {@code {entity_kind, type_name,
 *     entity_id, take}}
 */
public record TakenSides(int source, int target, String entities) {}
