package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.CompiledSource;
import service.core.gq.PlanCache;
import service.core.gq.eval.EntityRow;
import service.core.gq.eval.Evaluator;
import service.core.schema.Catalog;
import service.core.text.Work;
import service.core.value.Value;

/** Compiles GQ and caches the plans. Any thread. */
public final class CompilingLanguage implements QueryLanguage {
    private final PlanCache plans;

    public CompilingLanguage(PlanCache plans) {
        this.plans = plans;
    }

    @Override
    public CompiledSource compile(String source, @Nullable String name, Catalog catalog, Work work) {
        return plans.compile(source, name, catalog, work);
    }

    @Override
    public Evaluation evaluation(List<Value> arguments, long nowMicros, Work work) {
        Evaluator evaluator = new Evaluator(arguments, nowMicros, work);
        return (expression, entity) -> evaluator.evaluate(
                expression,
                entity == null ? null : new EntityRow(entity.type(), entity.typeName(), entity.id(), entity.image()));
    }
}
