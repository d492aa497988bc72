package service.core.graph;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.gq.plan.Plan;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.Value;

/** Running reads: one session, one view, from the resolution of the target to the last row. */
final class Reads {
    private final GraphStorage storage;
    private final QueryExecutor executor;
    private final QueryLanguage language;
    private final BriefCalls brief;

    Reads(GraphStorage storage, QueryExecutor executor, QueryLanguage language, BriefCalls brief) {
        this.storage = storage;
        this.executor = executor;
        this.language = language;
        this.brief = brief;
    }

    void run(
            ReadTarget target,
            String source,
            @Nullable String name,
            @Nullable ObjectNode params,
            Settings settings,
            BooleanSupplier cancelled,
            RowSink sink) {
        QueryExecutor.Limits limits = Budgets.limits(settings, Budgets.nowMicros(), cancelled);
        try (GraphSession session = storage.session()) {
            Targets.Resolved resolved = Targets.resolve(session, target);
            try (GraphView view = session.view(resolved.point())) {
                Plan.Read plan =
                        switch (language.compile(source, name, view.catalog())) {
                            case Plan.Read read -> read;
                            case Plan.Mutation mutation ->
                                    throw ServiceException.badRequest(
                                            "query `"
                                                    + mutation.name()
                                                    + "` is a mutation; send it to /mutate");
                        };
                brief.compiled(source, name, plan, view.catalog());
                List<Value> arguments = Arguments.bind(plan.parameters(), params);
                sink.begin(plan.name(), target, resolved.head(), columns(plan));
                executor.read(plan, arguments, view, limits, sink::rows);
            }
        }
    }

    private static List<ResultColumn> columns(Plan.Read plan) {
        List<ResultColumn> columns = new ArrayList<>(plan.outputs().size());
        for (Plan.Output output : plan.outputs()) {
            columns.add(new ResultColumn(output.column(), output.expression().type()));
        }
        return columns;
    }
}
