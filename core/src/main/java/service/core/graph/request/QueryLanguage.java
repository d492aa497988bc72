package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.gq.CompiledSource;
import service.core.gq.plan.Expression;
import service.core.schema.Catalog;
import service.core.text.Work;
import service.core.value.Value;

/**
 * The operations of GQ that the use-cases need: compiling text and evaluating an expression over one entity. Any
 * thread.
 */
public interface QueryLanguage {
    /**
     * Compiles the query or statement that a source asks for.
     *
     * @param name the query of the source; may be null when there is exactly one
     * @param work told of every step; may end the compilation
     * @throws service.core.error.ServiceException BAD_REQUEST with diagnostics
     */
    CompiledSource compile(String source, @Nullable String name, Catalog catalog, Work work);

    /**
     * Evaluates the expressions of one request.
     *
     * @param arguments by parameter index
     * @param work told of every step; may end the evaluation
     */
    Evaluation evaluation(List<Value> arguments, long nowMicros, Work work);

    /** Evaluates expressions, on one thread at a time. */
    @FunctionalInterface
    interface Evaluation {
        /**
         * The value of an expression whose slot 0 is the entity; the entity is null if the expression refers to none.
         *
         * @throws service.core.error.ServiceException BAD_REQUEST with diagnostics R1 for run-time arithmetic
         */
        Value of(Expression expression, @Nullable Entity entity);
    }

    /** One entity as expressions see it. */
    record Entity(int type, String typeName, String id, Image image) {}
}
