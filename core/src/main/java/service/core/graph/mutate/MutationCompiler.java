package service.core.graph.mutate;

import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource;
import service.core.gq.QueryCompiler;
import service.core.gq.plan.Plan;
import service.core.graph.request.Arguments;
import service.core.graph.request.BriefCalls;
import service.core.graph.request.SourceWork;
import service.core.schema.Catalog;

/** Compiles the sources of mutations and binds their arguments. Any thread. */
record MutationCompiler(QueryCompiler queries, BriefCalls brief) {
    CompiledSource source(MutationRequest request, Catalog catalog) {
        try (SourceWork work =
                new SourceWork(request.call().source(), request.settings(), System.nanoTime(), request.budget())) {
            CompiledSource compiled =
                    queries.compile(request.call().source(), request.call().name(), catalog, work);
            work.done(compiled);
            return compiled;
        }
    }

    /** Compiles a source that was found to be a mutation, against another schema. */
    CompiledMutation mutation(MutationRequest request, Catalog catalog) {
        return mutation(request, catalog, source(request, catalog));
    }

    /** The mutation of a source that is no branch statement. */
    CompiledMutation mutation(MutationRequest request, Catalog catalog, CompiledSource source) {
        Plan.Mutation plan = switch (source.request()) {
            case CompiledSource.Request.Query(Plan.Mutation mutation) -> mutation;
            case CompiledSource.Request.Query(Plan.Read read) ->
                throw ServiceException.badRequest(
                        Reason.WRONG_ROUTE, "query `" + read.name() + "` is a read; send it to /query");
            case CompiledSource.Request.BranchCreate ignored -> throw runBefore();
            case CompiledSource.Request.BranchDelete ignored -> throw runBefore();
            case CompiledSource.Request.BranchMerge ignored -> throw runBefore();
            case CompiledSource.Request.Undo ignored -> throw runBefore();
            case CompiledSource.Request.BranchList ignored -> throw statement();
            case CompiledSource.Request.BranchShow ignored -> throw statement();
            case CompiledSource.Request.ShowSettings ignored -> throw statement();
            case CompiledSource.Request.Explain ignored -> throw statement();
        };
        brief.compiled(request.call().source(), request.call().name(), plan, catalog);
        return new CompiledMutation(
                catalog.fingerprint(),
                plan,
                Arguments.bind(plan.parameters(), request.call().params(), request.blobs()::read));
    }

    private static ServiceException statement() {
        return ServiceException.badRequest(Reason.WRONG_ROUTE, "the statement only reads; send it to /query");
    }

    private static IllegalStateException runBefore() {
        return new IllegalStateException("branch statements run without being prepared");
    }
}
