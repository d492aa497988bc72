package service.core.event;

/**
 * What the resolutions of a merge took, as its commit records them.
 *
 * @param source number of resolutions that took the state of the merged branch
 * @param target number of resolutions that kept the state of the branch merged into
 * @param entities each resolution, with the names of the commit's schema: a JSON array of {@code {entity_kind,
 *     type_name, entity_id, property?, take | value}}
 */
public record TakenSides(int source, int target, String entities) {}
