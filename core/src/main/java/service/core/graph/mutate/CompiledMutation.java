package service.core.graph.mutate;

import java.util.List;
import service.core.gq.plan.Plan;
import service.core.value.Value;

/** A mutation compiled against one schema, with its arguments bound. */
record CompiledMutation(String schemaFingerprint, Plan.Mutation plan, List<Value> arguments) {}
