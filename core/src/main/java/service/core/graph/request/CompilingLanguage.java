package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.CompiledSource;
import service.core.gq.PlanCache;
import service.core.gq.eval.EntityRow;
import service.core.gq.eval.Evaluator;
import service.core.gq.plan.Expression;
import service.core.schema.Catalog;
import service.core.value.Value;

/** Compiles GQ and caches the plans. Any thread. */
public final class CompilingLanguage implements QueryLanguage {
    private final PlanCache plans;

    public CompilingLanguage(PlanCache plans) {
        this.plans = plans;
    }

    @Override
    public CompiledSource compile(String source, @Nullable String name, Catalog catalog) {
        return plans.compile(source, name, catalog);
    }

    @Override
    public Value evaluate(Expression expression, @Nullable Entity entity, List<Value> arguments, long nowMicros) {
        EntityRow row =
                entity == null ? null : new EntityRow(entity.type(), entity.typeName(), entity.id(), entity.image());
        return new Evaluator(arguments, nowMicros).evaluate(expression, row);
    }
}
