package service.core.graph.check;

import service.core.port.CommitLog;
import service.core.port.GraphStorage;

/**
 * What the use-cases share that change entities of one graph.
 *
 * @param log takes the writes; refuses them in a process that only reads
 * @param entitiesMax maximum number of entities that one write may change
 */
public record GraphWriter(GraphStorage storage, CommitLog log, RulesCache rules, int entitiesMax) {}
