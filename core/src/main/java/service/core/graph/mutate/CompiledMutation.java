package service.core.graph.mutate;

import java.util.List;
import service.core.gq.plan.Plan;
import service.core.port.GraphView;
import service.core.value.Value;

/** A mutation compiled against one schema, with its arguments bound. */
record CompiledMutation(String schemaFingerprint, Plan.Mutation plan, List<Value> arguments) {
    /** Whether the view has the schema of the mutation. */
    boolean fits(GraphView view) {
        return view.catalog().fingerprint().equals(schemaFingerprint);
    }
}
