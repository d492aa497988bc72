package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.ExpressionSyntax.MetaField;
import service.core.text.Span;
import service.core.value.EntityKind;
import service.core.value.Value;
import service.core.value.ValueType;

/** Checks {@code case}, records, and the fields of values. */
final class FormChecker {
    /** Fields of a record with those of the records within it: bounds the depth of walks over its values. */
    private static final int FIELDS_MAX = 500;

    private final QueryFindings findings;
    private final Environment environment;
    private final ExpressionChecker checker;

    private @Nullable ChoiceGuard guard;

    FormChecker(QueryFindings findings, Environment environment, ExpressionChecker checker) {
        this.findings = findings;
        this.environment = environment;
        this.checker = checker;
    }

    /** Says in which rows the current expression is evaluated; null for all. */
    @Nullable
    ChoiceGuard guard() {
        return guard;
    }

    Expression choice(ExpressionSyntax.Case syntax) {
        List<Expression> conditions = new ArrayList<>();
        List<Expression> results = new ArrayList<>();
        ValueType common = null;
        boolean emptyList = false;
        ChoiceGuard before = guard;
        for (ExpressionSyntax.When when : syntax.whens()) {
            guard = ChoiceGuard.of(before, conditions, false);
            conditions.add(checker.truth(when.condition(), "the condition of `when`"));
            guard = ChoiceGuard.of(before, conditions, true);
            results.add(checker.check(when.result()));
            common = common(common, results.getLast(), when.result().span());
            emptyList |= isEmptyList(results.getLast());
        }
        ExpressionSyntax otherwise = syntax.otherwise();
        if (otherwise == null) {
            guard = before;
            results.add(new Expression.Literal(Value.NULL, null));
        } else {
            guard = ChoiceGuard.of(before, conditions, false);
            results.add(checker.check(otherwise));
            guard = before;
            common = common(common, results.getLast(), otherwise.span());
            emptyList |= isEmptyList(results.getLast());
        }
        if (common == null || (emptyList && !ValueType.isList(common))) {
            throw findings.refuse(
                    "T33", syntax.span(), "the results of `case` have no type", "name a value beside null or `[]`");
        }
        return new Expression.Case(List.copyOf(conditions), List.copyOf(results), common);
    }

    private static boolean isEmptyList(Expression result) {
        return result.type() == null && result.family() == Family.LIST;
    }

    private @Nullable ValueType common(@Nullable ValueType before, Expression next, Span span) {
        try {
            return ValueTypes.common(before, next);
        } catch (ValueTypes.Unlike e) {
            throw findings.refuse("T33", span, "the results of `case` mix " + e.pair(), "all results are of one type");
        }
    }

    Expression record(ExpressionSyntax.Struct syntax) {
        Map<String, Span> names = new TreeMap<>();
        List<ValueType.Field> fields = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        for (ExpressionSyntax.RecordField field : syntax.fields()) {
            if (names.put(field.name(), field.nameSpan()) != null) {
                throw findings.refuse(
                        "T25",
                        field.nameSpan(),
                        "two fields are named `" + field.name() + "`",
                        "name one of them otherwise");
            }
            Expression value = checker.check(field.value());
            if (value.family() == Family.VECTOR || value.family() == Family.BLOB) {
                throw findings.refuse("T4", field.value().span(), "a record cannot hold " + value.typeName(), null);
            }
            values.add(value);
            fields.add(new ValueType.Field(field.name(), value.type()));
        }
        ValueType.Struct type = new ValueType.Struct(fields);
        if (ValueType.size(type) > FIELDS_MAX) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "the record holds more than " + FIELDS_MAX + " fields, with those of the records in it",
                    "keep what the next stage needs only");
        }
        return new Expression.RecordOf(List.copyOf(values), type);
    }

    /** {@code subject.name} of a value. */
    Expression field(Expression subject, Span span, String name, Span nameSpan) {
        return switch (subject.type()) {
            case ValueType.Struct record -> {
                ValueType.Field field = record.field(name);
                if (field == null) {
                    throw findings.refuse(
                            "T34",
                            nameSpan,
                            "the record `" + findings.text(span) + "` has no field `" + name + "`",
                            QueryFindings.nearOr(name, record.names(), "it has " + String.join(", ", record.names())));
                }
                yield new Expression.FieldOf(subject, name, field.type());
            }
            case ValueType.Entity entity -> {
                Expression.PropertyOf property = environment.propertyOf(entity, findings.text(span), name, nameSpan);
                yield new Expression.PropertyOfValue(subject, name, property.identityByType(), property.type());
            }
            case null, default ->
                throw findings.refuse(
                        subject.family() == Family.PATH ? "T32" : "T4",
                        nameSpan,
                        "`" + findings.text(span) + "` is " + subject.typeName() + " and has no field `" + name + "`",
                        switch (subject.family()) {
                            case LIST -> "take one item, `[0]`, or each: `[$x in … | $x." + name + "]`";
                            case PATH -> "a path is read by `length(…)`, `nodes(…)`, `edges(…)` and `cost(…)`";
                            default ->
                                Function.named(name) != null
                                        ? "write `" + name + "(" + findings.text(span) + ")`"
                                        : "keep the entity in `with` to ask for its properties later: `with { $x, … }`";
                        });
        };
    }

    /** {@code subject.@id} and the like of a value. */
    Expression meta(Expression subject, Span span, MetaField field, Span whole) {
        if (!(subject.type() instanceof ValueType.Entity entity)) {
            throw findings.refuse(
                    "T4",
                    whole,
                    "`" + findings.text(span) + "` is " + subject.typeName() + " and has no `" + field.text() + "`",
                    "keep the entity in `with` to ask for it later: `with { $x, … }`");
        }
        if (entity.kind() == EntityKind.NODE && field.isOfEnd()) {
            throw findings.refuse(
                    "T2", whole, "`" + findings.text(span) + "` is a node and has no " + field.text(), null);
        }
        return new Expression.MetaOfValue(
                subject,
                switch (field) {
                    case ID -> Expression.Meta.ID;
                    case TYPE -> Expression.Meta.TYPE;
                    case SRC -> Expression.Meta.SRC;
                    case DST -> Expression.Meta.DST;
                    case SRC_TYPE -> Expression.Meta.SRC_TYPE;
                    case DST_TYPE -> Expression.Meta.DST_TYPE;
                });
    }
}
