package service.core.graph.request;

import service.core.gq.plan.Plan;

/** A query of the applied cluster revision, compiled against the graph's schema. */
public record StoredQuery(String name, String source, Plan plan) {}
