package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.GqFile;
import service.core.schema.Catalog;

/** Checks what a mutation answers after its statements, and how these may name entities. */
final class AnswerChecker {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;

    AnswerChecker(Catalog catalog, QueryFindings findings, ParameterTable parameters) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
    }

    /** The answer; null where nothing is written. */
    Plan.@Nullable Read check(GqFile.Query query, GqFile.@Nullable Stage written, StatementScope scope) {
        if (written == null) {
            return null;
        }
        List<Plan.Stage> stages = new ArrayList<>();
        findings.attempt(() -> {
            Plan.Stage stage = new ReadChecker(catalog, findings, parameters).answer(written, scope.all());
            if (!stage.match().blocks().isEmpty()) {
                findings.note(
                        "T6",
                        written.span(),
                        "a mutation cannot answer what a block finds after its statements",
                        "keep the value from before them by `with { $x, count { … } as $n }`, or ask by a query");
            }
            stage.result().outputs().stream()
                    .filter(output -> !(output.expression() instanceof Expression.EntityOf))
                    .forEach(output -> rejectInnerEntity(output, written));
            stages.add(stage);
        });
        return new Plan.Read(
                query.name(), parameters.list(), query.annotations(), scope.variables(), List.copyOf(stages));
    }

    /** Refuses a whole entity within a value, such as a list: it is known only when the mutation is done. */
    private void rejectInnerEntity(Plan.Output output, GqFile.Stage written) {
        if (holdsEntity(output.expression())) {
            findings.note(
                    "T4",
                    written.span(),
                    "`" + output.column() + "` holds a whole entity within a value",
                    "after statements return an entity alone, as `$x`, or its properties");
        }
    }

    /** Whether an expression holds a whole entity, other than to count it or to ask whether there is one. */
    static boolean holdsEntity(Expression expression) {
        boolean isTest = expression instanceof Expression.IsNull test && test.operand() instanceof Expression.EntityOf;
        return expression instanceof Expression.EntityOf
                || (!isTest
                        && !(expression instanceof Expression.Aggregate aggregate
                                && aggregate.function() == Expression.AggregateFunction.COUNT)
                        && expression.operands().stream().anyMatch(AnswerChecker::holdsEntity));
    }

    /** Whether an expression asks for the type of an end of an edge that is in no slot. */
    static boolean readsEndType(Expression expression) {
        boolean itself = expression instanceof Expression.MetaOfValue meta
                && (meta.meta() == Expression.Meta.SRC_TYPE || meta.meta() == Expression.Meta.DST_TYPE);
        return itself || expression.operands().stream().anyMatch(AnswerChecker::readsEndType);
    }
}
