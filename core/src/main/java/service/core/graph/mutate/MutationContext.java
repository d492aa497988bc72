package service.core.graph.mutate;

import java.util.function.Supplier;
import service.core.gq.eval.Evaluator;
import service.core.graph.check.RulesCache;
import service.core.port.QueryExecutor;

/**
 * What every run of one mutation needs, over whichever state it runs.
 *
 * @param executor finds the entities of predicates
 * @param limits bound the time, the work and the memory
 * @param newIds ids for entities without one from the client
 * @param entitiesMax maximum number of changed entities
 */
record MutationContext(
        CompiledMutation compiled,
        QueryExecutor executor,
        RulesCache rules,
        QueryExecutor.Limits limits,
        Supplier<String> newIds,
        int entitiesMax) {
    /**
     * What evaluates conditions on the caller's thread, and later on the writer's. It does not wait for a turn, which
     * the writer must not.
     */
    Evaluator evaluatorForWriter() {
        return new Evaluator(
                compiled.arguments(),
                limits.nowMicros(),
                new MutationWork(limits, limits.budget().onWriter()));
    }

    /**
     * The same for a run on the writer's thread.
     *
     * @param work maximum number of entities that the stages before the statements may examine
     */
    MutationContext onWriter(long work) {
        return new MutationContext(
                compiled, executor, rules, limits.withWork(work).onWriter(), newIds, entitiesMax);
    }
}
