package service.core.gq.check;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.text.Span;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Checks that the parts of a union fit together, and makes the stage that follows them. */
final class UnionChecker {
    private final QueryFindings findings;
    private final PatternDeclarer declarer;
    private final GqFile.Union syntax;
    private final List<Integer> slots = new ArrayList<>();

    UnionChecker(QueryFindings findings, PatternDeclarer declarer, GqFile.Union syntax) {
        this.findings = findings;
        this.declarer = declarer;
        this.syntax = syntax;
    }

    /** A union with the stage that makes its answer. */
    record Checked(Plan.Union union, Plan.Stage whole) {}

    /**
     * Joins the parts.
     *
     * @param parts the stages of each
     * @param window the skip and the limit of the whole
     */
    Checked check(List<List<Plan.Stage>> parts, Plan.Window window) {
        List<Plan.Output> columns = outputs(parts.getFirst());
        for (int part = 1; part < parts.size(); part++) {
            requireNames(
                    columns,
                    outputs(parts.get(part)),
                    syntax.parts().get(part - 1).span());
        }
        if (!findings.errors().isEmpty()) {
            throw findings.silent();
        }
        List<Variable> variables = declarer.variables();
        List<Fitted> fitted = new ArrayList<>();
        parts.forEach(part -> fitted.add(new Fitted(part)));
        List<Plan.Output> whole = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            int column = i;
            findings.attempt(() -> whole.add(joined(column, parts, fitted, variables)));
        }
        List<Plan.SortKey> order = new ArrayList<>();
        syntax.order()
                .forEach(key -> findings.attempt(() -> {
                    Expression column = column(key.expression(), whole, true);
                    boolean ranked = !key.isDirected() && isRanking(column, parts);
                    order.add(new Plan.SortKey(column, ranked || key.descending()));
                }));
        List<Expression> per = new ArrayList<>();
        syntax.window().per().forEach(each -> findings.attempt(() -> per.add(column(each, whole, false))));
        int distinct = 0;
        for (int part = 0; part < syntax.parts().size(); part++) {
            distinct = syntax.parts().get(part).all() ? distinct : part + 2;
        }
        boolean allDistinct = distinct == parts.size();
        Plan.Stage last = new Plan.Stage(
                Pattern.EMPTY,
                new Plan.Result(List.copyOf(whole), allDistinct, false),
                List.of(),
                List.copyOf(order),
                new Plan.Window(window.skip(), window.limit(), List.copyOf(per)));
        List<Plan.Part> bound = fitted.stream().map(Fitted::part).toList();
        return new Checked(new Plan.Union(bound, allDistinct ? 0 : distinct, List.copyOf(slots)), last);
    }

    /** Whether a column is a ranking in each part. */
    private static boolean isRanking(Expression column, List<List<Plan.Stage>> parts) {
        return column instanceof Expression.OutputOf of
                && parts.stream()
                        .map(List::getLast)
                        .allMatch(last ->
                                isRanking(outputs(List.of(last)).get(of.index()).expression(), last));
    }

    private static boolean isRanking(Expression expression, Plan.Stage stage) {
        return switch (expression) {
            case Expression.Search search -> search.function().isRanking();
            case Expression.ValueOf value -> stage.fusions().stream().anyMatch(fusion -> fusion.slot() == value.slot());
            default -> false;
        };
    }

    /** A part whose columns are joined with those of the others, one by one. */
    private static final class Fitted {
        private final List<Plan.Stage> stages;
        final List<Plan.Output> outputs = new ArrayList<>();
        final List<Expression> columns = new ArrayList<>();

        Fitted(List<Plan.Stage> stages) {
            this.stages = new ArrayList<>(stages);
        }

        Plan.Part part() {
            Plan.Stage last = stages.removeLast();
            Plan.Result result = new Plan.Result(
                    List.copyOf(outputs),
                    last.result().distinct(),
                    last.result().grouped());
            stages.add(new Plan.Stage(last.match(), result, last.where(), last.order(), last.window(), last.fusions()));
            return new Plan.Part(List.copyOf(stages), List.copyOf(columns));
        }
    }

    private static List<Plan.Output> outputs(List<Plan.Stage> part) {
        return part.getLast().result().outputs();
    }

    private void requireNames(List<Plan.Output> first, List<Plan.Output> other, Span word) {
        if (!names(first).equals(names(other))) {
            findings.note(
                    "T30",
                    word,
                    "the columns of a union differ: " + shown(first) + " before, " + shown(other) + " after",
                    "give both the same names in the same order: `return { $x.name as name }`");
        }
    }

    private static List<String> names(List<Plan.Output> outputs) {
        return outputs.stream().map(Plan.Output::column).toList();
    }

    private static String shown(List<Plan.Output> outputs) {
        return names(outputs).stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
    }

    /**
     * Makes a column of the whole of a column of each part.
     *
     * @param into the parts
     */
    private Plan.Output joined(int column, List<List<Plan.Stage>> parts, List<Fitted> into, List<Variable> variables) {
        Plan.Output first = outputs(parts.getFirst()).get(column);
        Scope.Slot slot = first.expression().family() == Family.ENTITY
                ? ofEntities(column, parts, variables)
                : Scope.Slot.of(first.column(), commonType(column, parts), 0);
        declarer.add(slot);
        slots.add(slot.number);
        for (int part = 0; part < parts.size(); part++) {
            Expression written = outputs(parts.get(part)).get(column).expression();
            Expression expression = typed(written, slot.value);
            Scope.Slot own = slot.renamed(first.column(), 0);
            ValueType type = expression.type();
            if (slot.value != null && type != null) {
                own = Scope.Slot.of(first.column(), type, 0);
            }
            own.types.addAll(slot.types);
            declarer.add(own);
            into.get(part).outputs.add(new Plan.Output(first.column(), expression, own.number));
            into.get(part)
                    .columns
                    .add(
                            slot.value == null || type == null
                                    ? new Expression.EntityOf(own.number, entity(own))
                                    : fitting(new Expression.ValueOf(own.number, type), slot.value, part));
        }
        Expression read = slot.value == null
                ? new Expression.EntityOf(slot.number, entity(slot))
                : new Expression.ValueOf(slot.number, slot.value);
        return new Plan.Output(first.column(), read);
    }

    /** A null, or a list of nothing, as a value of the column's type; null for a column of entities. */
    private static Expression typed(Expression written, @Nullable ValueType type) {
        if (written.family() == Family.NULL) {
            return new Expression.Literal(Value.NULL, type);
        }
        return type != null && ValueTypes.isUntypedList(written) ? ValueTypes.typed(written, type) : written;
    }

    private static ValueType.Entity entity(Scope.Slot slot) {
        return new ValueType.Entity(Objects.requireNonNull(slot.kind), List.copyOf(slot.types));
    }

    private Scope.Slot ofEntities(int column, List<List<Plan.Stage>> parts, List<Variable> variables) {
        EntityKind kind = null;
        Set<Integer> types = new LinkedHashSet<>();
        for (int part = 0; part < parts.size(); part++) {
            Expression expression = outputs(parts.get(part)).get(column).expression();
            if (!(expression instanceof Expression.EntityOf entity)) {
                throw mixed(column, parts, part);
            }
            Variable variable = variables.get(entity.slot());
            if (kind != null && kind != variable.kind()) {
                throw mixed(column, parts, part);
            }
            kind = variable.kind();
            types.addAll(variable.types());
        }
        Scope.Slot slot =
                new Scope.Slot(outputs(parts.getFirst()).get(column).column(), Objects.requireNonNull(kind), 0);
        slot.types.addAll(types);
        return slot;
    }

    /** The type that the values of all parts fit; a null fits every type, and {@code []} every type of lists. */
    private ValueType commonType(int column, List<List<Plan.Stage>> parts) {
        ValueType common = null;
        ValueType unknown = PropertyType.STRING;
        for (int part = 0; part < parts.size(); part++) {
            Expression expression = outputs(parts.get(part)).get(column).expression();
            if (expression.family() == Family.NULL) {
                continue;
            }
            ValueType type = expression.type();
            boolean isUntyped = ValueTypes.isUntypedList(expression);
            unknown = isUntyped ? ValueType.listOf(PropertyType.STRING) : unknown;
            ValueType both =
                    isUntyped ? common : type == null || common == null ? type : ValueTypes.common(common, type);
            boolean isUnlike = both != null && ValueType.isList(unknown) && !ValueType.isList(both);
            if ((both == null && !isUntyped) || isUnlike || both instanceof ValueType.Entity) {
                throw mixed(column, parts, part);
            }
            common = both;
        }
        return common == null ? unknown : common;
    }

    private QueryFindings.Refused mixed(int column, List<List<Plan.Stage>> parts, int part) {
        Plan.Output first = outputs(parts.getFirst()).get(column);
        Plan.Output other = outputs(parts.get(part)).get(column);
        return findings.refuse(
                "T30",
                syntax.parts().get(Math.max(0, part - 1)).span(),
                "the column `" + first.column() + "` of the union is "
                        + first.expression().typeName() + " before, "
                        + other.expression().typeName() + " after",
                "make both one type, such as with `to_string(…)`, or name them apart");
    }

    /** The expression as a value of the type of the column. */
    private Expression fitting(Expression expression, ValueType type, int part) {
        ValueType own = Objects.requireNonNull(expression.type());
        boolean converts = Family.of(type) == Family.NUMBER
                && (PropertyType.isFloat(type) != PropertyType.isFloat(own)
                        || PropertyType.exceedsI64(type) != PropertyType.exceedsI64(own)
                        || (PropertyType.exceedsI64(type) && !type.equals(own)));
        Span word = syntax.parts().get(Math.max(0, part - 1)).span();
        return converts
                ? new Expression.Call(Function.COALESCE, List.of(expression), type, findings.origin(word))
                : expression;
    }

    /** The column of the whole that a key names. */
    private Expression column(ExpressionSyntax key, List<Plan.Output> whole, boolean ordered) {
        String name = ((ExpressionSyntax.Word) key).name();
        for (int i = 0; i < whole.size(); i++) {
            Expression column = whole.get(i).expression();
            if (whole.get(i).column().equals(name)) {
                Family family = column.family();
                if (ordered && !family.ordered() && family != Family.BOOL) {
                    throw findings.refuse(
                            "T4",
                            key.span(),
                            "cannot order by " + column.typeName(),
                            family == Family.ENTITY ? "return its `@id` as a column and order by that" : null);
                }
                return new Expression.OutputOf(i, column.type());
            }
        }
        throw findings.refuse(
                "T6",
                key.span(),
                "the union has no column named `" + name + "`",
                QueryFindings.nearOr(
                        name,
                        names(whole),
                        "what follows a union names its columns: " + String.join(", ", names(whole))));
    }
}
