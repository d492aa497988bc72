package service.core.graph.request;

/** What the answer to a mutation says beside its counts and its commit. */
public sealed interface MutationEffect permits BranchOperation, AnsweredRows {}
