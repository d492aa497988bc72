package service.core.schema.migrate;

import java.util.Collection;
import java.util.Map;
import service.core.schema.Catalog;

/** The facts about the live entities of a graph that the planner needs. */
@FunctionalInterface
public interface LiveData {
    /** A graph without entities. */
    LiveData NONE = (desired, checks) -> Map.of();

    /**
     * What fails a check.
     *
     * @param entityId the first entity that fails it, in an order that is the same for the same state
     * @param count how many fail it
     * @param fault what is wrong with the first one, as the end of a sentence about it, such as {@code lacks a value}
     */
    record Offence(String entityId, long count, String fault) {}

    /**
     * The checks that fail. Entities are seen as under the desired schema: with the values that new properties give to
     * old entities.
     *
     * @param checks a call with all checks of a type reads its entities once
     */
    Map<LiveCheck, Offence> offences(Catalog desired, Collection<LiveCheck> checks);
}
