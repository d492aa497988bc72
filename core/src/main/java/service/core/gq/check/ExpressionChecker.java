package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.ExpressionSyntax.SearchFunction;
import service.core.schema.TextPattern;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/** Binds and type-checks expressions in an {@link Environment}. */
final class ExpressionChecker {
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final Environment environment;
    private final FunctionChecker functions;

    /** Whether the query has a {@code limit}, which ranking functions need. */
    private final boolean limited;

    /** Describes the place where aggregates are refused; null where they are allowed. */
    private @Nullable String noAggregate;

    ExpressionChecker(
            QueryFindings findings,
            ParameterTable parameters,
            Environment environment,
            @Nullable String noAggregate,
            boolean limited) {
        this.findings = findings;
        this.parameters = parameters;
        this.environment = environment;
        this.noAggregate = noAggregate;
        this.limited = limited;
        this.functions = new FunctionChecker(findings);
    }

    /** Checks an expression that must be Bool. */
    Expression condition(ExpressionSyntax syntax, String what) {
        Expression checked = check(syntax);
        if (checked.family() != Family.BOOL) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    what + " must be Bool, but `" + findings.text(syntax.span()) + "` is " + checked.typeName(),
                    checked.family() == Family.ENTITY || checked.family() == Family.NULL
                            ? null
                            : "compare it with something, or ask `is not null`");
        }
        return checked;
    }

    /** Checks an operand of a connective: it must be Bool or the literal null, which means unknown. */
    private Expression truth(ExpressionSyntax syntax, String what) {
        return syntax instanceof ExpressionSyntax.Literal literal && literal.value() instanceof Value.Null
                ? new Expression.Literal(Value.NULL, PropertyType.BOOL)
                : condition(syntax, what);
    }

    Expression check(ExpressionSyntax syntax) {
        findings.work().step();
        return switch (syntax) {
            case ExpressionSyntax.Literal s -> {
                Expression alias = environment.alias(findings.text(s.span()));
                yield alias != null ? alias : new Expression.Literal(s.value(), typeOf(s.value()));
            }
            case ExpressionSyntax.ListOf s -> list(s);
            case ExpressionSyntax.Dollar s -> {
                Expression.Argument argument = parameters.use(s.name());
                yield argument != null ? argument : environment.variable(s);
            }
            case ExpressionSyntax.Property s -> environment.property(s);
            case ExpressionSyntax.Meta s -> environment.meta(s);
            case ExpressionSyntax.OwnMeta s -> environment.ownMeta(s);
            case ExpressionSyntax.Word s -> environment.word(s);
            case ExpressionSyntax.Call s ->
                functions.call(s, s.arguments().stream().map(this::check).toList());
            case ExpressionSyntax.Search s -> throw search(s);
            case ExpressionSyntax.Aggregate s -> aggregate(s);
            case ExpressionSyntax.And s -> new Expression.And(conditions(s.operands(), "and"));
            case ExpressionSyntax.Or s -> new Expression.Or(conditions(s.operands(), "or"));
            case ExpressionSyntax.Not s -> new Expression.Not(truth(s.operand(), "the operand of `not`"));
            case ExpressionSyntax.Compare s -> compare(s);
            case ExpressionSyntax.TextTest s -> textTest(s);
            case ExpressionSyntax.In s -> in(s);
            case ExpressionSyntax.IsNull s -> new Expression.IsNull(check(s.operand()), s.negated());
            case ExpressionSyntax.Arithmetic s -> arithmetic(s);
            case ExpressionSyntax.Negate s -> negate(s);
        };
    }

    static @Nullable PropertyType typeOf(Value literal) {
        return switch (literal) {
            case Value.Bool ignored -> PropertyType.BOOL;
            case Value.Int ignored -> PropertyType.I64;
            case Value.UInt ignored -> PropertyType.U64;
            case Value.Real ignored -> PropertyType.F64;
            case Value.Text ignored -> PropertyType.STRING;
            case Value.Date ignored -> PropertyType.DATE;
            case Value.DateTime ignored -> PropertyType.DATETIME;
            default -> null;
        };
    }

    private List<Expression> conditions(List<ExpressionSyntax> operands, String word) {
        return operands.stream()
                .map(operand -> truth(operand, "an operand of `" + word + "`"))
                .toList();
    }

    private Expression list(ExpressionSyntax.ListOf syntax) {
        List<Expression> items = new ArrayList<>();
        ScalarType itemType = null;
        for (ExpressionSyntax item : syntax.items()) {
            Expression checked = check(item);
            items.add(checked);
            Family family = checked.family();
            if (family == Family.NULL) {
                continue;
            }
            if (family == Family.LIST || family == Family.ENTITY || family == Family.VECTOR || family == Family.BLOB) {
                throw findings.refuse("T4", item.span(), "a list cannot hold " + checked.typeName(), null);
            }
            ScalarType scalar = checked.type() == null ? ScalarType.STRING : Family.itemType(checked.type());
            itemType = itemType == null ? scalar : common(itemType, scalar, item.span());
        }
        PropertyType type = itemType == null ? null : new PropertyType.ListOf(itemType);
        List<Value> values = new ArrayList<>();
        for (Expression item : items) {
            if (!(item instanceof Expression.Literal literal)) {
                return new Expression.ListOf(List.copyOf(items), type);
            }
            values.add(literal.value());
        }
        return new Expression.Literal(new Value.ListOf(values), type);
    }

    private ScalarType common(ScalarType left, ScalarType right, Span span) {
        if (left == right) {
            return left;
        }
        if (Family.of(left) != Family.NUMBER || Family.of(right) != Family.NUMBER) {
            throw findings.refuse(
                    "T4",
                    span,
                    "the list mixes " + left.schemaName() + " and " + right.schemaName(),
                    "the items of a list are of one type");
        }
        return left.isFloat() || right.isFloat() ? ScalarType.F64 : ScalarType.I64;
    }

    private Expression compare(ExpressionSyntax.Compare syntax) {
        Expression left = check(syntax.left());
        Expression right = check(syntax.right());
        boolean equality =
                syntax.operator() == ComparisonOperator.EQUAL || syntax.operator() == ComparisonOperator.NOT_EQUAL;
        rejectNull(left, syntax.right(), syntax);
        rejectNull(right, syntax.left(), syntax);
        requireComparable(left, right, equality, syntax.span());
        if (equality) {
            requireWord(left, right, syntax.right().span());
            requireWord(right, left, syntax.left().span());
        }
        return new Expression.Compare(syntax.operator(), left, right);
    }

    private void rejectNull(Expression side, ExpressionSyntax other, ExpressionSyntax.Compare syntax) {
        if (side.family() == Family.NULL) {
            String test = syntax.operator() == ComparisonOperator.NOT_EQUAL ? " is not null" : " is null";
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "a comparison with null is never true",
                    "write `" + findings.text(other.span()) + test + "`");
        }
    }

    private void requireComparable(Expression left, Expression right, boolean equality, Span span) {
        Family family = left.family();
        if (family == Family.ENTITY || right.family() == Family.ENTITY) {
            throw findings.refuse(
                    "T4",
                    span,
                    "a whole entity cannot be compared",
                    "compare ids, such as `$a.@id != $b.@id`, or a property");
        }
        if (family != right.family()) {
            throw findings.refuse(
                    "T4",
                    span,
                    "cannot compare " + left.typeName() + " with " + right.typeName(),
                    mixHint(left, right));
        }
        boolean allowed = equality ? family != Family.VECTOR && family != Family.BLOB : family.ordered();
        Family leftItems = left.itemFamily();
        Family rightItems = right.itemFamily();
        if (family == Family.LIST && leftItems != null && rightItems != null && leftItems != rightItems) {
            allowed = false;
        }
        if (!allowed) {
            throw findings.refuse(
                    "T4",
                    span,
                    equality
                            ? "cannot compare " + left.typeName() + " with " + right.typeName()
                            : left.typeName() + " has no order",
                    family == Family.VECTOR || family == Family.BLOB ? "neither vectors nor blobs are compared" : null);
        }
    }

    static @Nullable String mixHint(Expression left, Expression right) {
        Family one = left.family();
        Family two = right.family();
        if ((one == Family.DATE && two == Family.DATETIME) || (one == Family.DATETIME && two == Family.DATE)) {
            return "turn one into the other with `date(…)` or `datetime(…)`";
        }
        boolean literal = right instanceof Expression.Literal;
        Expression other = literal ? left : right;
        Expression given = literal ? right : left;
        if (given instanceof Expression.Literal written) {
            return Assignability.hint(other.family(), written.value());
        }
        if ((one == Family.DATE && two == Family.TEXT) || (one == Family.TEXT && two == Family.DATE)) {
            return "turn the string into a Date with `date(…)`, or declare the parameter as a Date";
        }
        if ((one == Family.DATETIME && two == Family.TEXT) || (one == Family.TEXT && two == Family.DATETIME)) {
            return "turn the string into a DateTime with `datetime(…)`, or declare the parameter as a DateTime";
        }
        return one == Family.LIST && two != Family.LIST ? "ask `… contains …`" : null;
    }

    /** Checks that a literal that is compared with an enum is one of its words. */
    private void requireWord(Expression side, Expression literal, Span span) {
        if (side.type() instanceof PropertyType.EnumOf words
                && literal instanceof Expression.Literal written
                && written.value() instanceof Value.Text text
                && !words.values().contains(text.value())) {
            throw findings.refuse(
                    "T26",
                    span,
                    Assignability.notInEnum(text.value(), words),
                    Assignability.enumHint(text.value(), words));
        }
    }

    private Expression textTest(ExpressionSyntax.TextTest syntax) {
        String word = syntax.operator().name().toLowerCase(Locale.ROOT);
        Expression left = check(syntax.left());
        Expression right = check(syntax.right());
        if (syntax.operator() == Expression.TextOperator.CONTAINS && left.family() == Family.LIST) {
            Family items = left.itemFamily();
            if (items != null && items != right.family()) {
                throw findings.refuse(
                        "T4", syntax.right().span(), left.typeName() + " cannot contain " + right.typeName(), null);
            }
            return new Expression.TextTest(syntax.operator(), left, right);
        }
        requireText(left, syntax.left().span(), word);
        requireText(right, syntax.right().span(), word);
        if (syntax.operator() == Expression.TextOperator.MATCHES
                && right instanceof Expression.Literal literal
                && literal.value() instanceof Value.Text text) {
            try {
                TextPattern.compile(text.value(), findings.work()::charge);
            } catch (IllegalArgumentException e) {
                throw findings.refuse(
                        "T4",
                        syntax.right().span(),
                        String.valueOf(e.getMessage()),
                        "the syntax is RE2's: no look-around, no back-references");
            }
        }
        return new Expression.TextTest(syntax.operator(), left, right);
    }

    private void requireText(Expression operand, Span span, String word) {
        if (operand.family() != Family.TEXT) {
            String side = word.equals("contains") ? "String or a list" : "String";
            throw findings.refuse(
                    "T4",
                    span,
                    "`" + word + "` takes " + side + ", but `" + findings.text(span) + "` is " + operand.typeName(),
                    null);
        }
    }

    private Expression in(ExpressionSyntax.In syntax) {
        Expression left = check(syntax.left());
        Expression list = check(syntax.list());
        if (left.family() == Family.NULL || left.family() == Family.ENTITY) {
            throw findings.refuse(
                    "T4",
                    syntax.left().span(),
                    left.typeName() + " cannot be the left side of `in`",
                    left.family() == Family.ENTITY ? "ask for its `@id`" : "write `… is null`");
        }
        if (list.family() != Family.LIST) {
            throw findings.refuse(
                    "T4",
                    syntax.list().span(),
                    "`in` takes a list, but `" + findings.text(syntax.list().span()) + "` is " + list.typeName(),
                    "declare the parameter as a list, such as `[String]`");
        }
        Family items = list.itemFamily();
        if (items != null && items != left.family()) {
            throw findings.refuse(
                    "T4", syntax.span(), left.typeName() + " cannot be in a list of type " + list.typeName(), null);
        }
        if (syntax.list() instanceof ExpressionSyntax.ListOf written) {
            for (ExpressionSyntax item : written.items()) {
                requireWord(left, check(item), item.span());
            }
        }
        Expression in = new Expression.In(left, list);
        return syntax.negated() ? new Expression.Not(in) : in;
    }

    private Expression arithmetic(ExpressionSyntax.Arithmetic syntax) {
        Expression leftSide = check(syntax.left());
        Expression rightSide = check(syntax.right());
        PropertyType left = functions.number(leftSide, syntax.left().span());
        PropertyType right = functions.number(rightSide, syntax.right().span());
        PropertyType type = FunctionChecker.arithmeticType(left, right);
        return new Expression.Arithmetic(syntax.operator(), leftSide, rightSide, type, findings.origin(syntax.span()));
    }

    private Expression negate(ExpressionSyntax.Negate syntax) {
        Expression operand = check(syntax.operand());
        PropertyType type = functions.number(operand, syntax.operand().span());
        PropertyType result = FunctionChecker.arithmeticType(type, PropertyType.I64);
        return new Expression.Negate(operand, result, findings.origin(syntax.span()));
    }

    /** Marks the parameters in the arguments of a search as used; the arguments are not checked. */
    private void markUsed(List<ExpressionSyntax> arguments) {
        for (ExpressionSyntax argument : arguments) {
            switch (argument) {
                case ExpressionSyntax.Dollar dollar -> parameters.use(dollar.name());
                case ExpressionSyntax.Search nested -> markUsed(nested.arguments());
                case ExpressionSyntax.Call call -> markUsed(call.arguments());
                default -> {}
            }
        }
    }

    private QueryFindings.Refused search(ExpressionSyntax.Search syntax) {
        markUsed(syntax.arguments());
        boolean nearest = syntax.function() == SearchFunction.NEAREST;
        if (!limited && (nearest || syntax.function() == SearchFunction.RRF)) {
            findings.note(
                    nearest ? "T17" : "T21",
                    syntax.span(),
                    "`" + syntax.function().text() + "` needs a `limit`, because it ranks everything",
                    "add `limit 10`");
        }
        return findings.refuse(
                "T40",
                syntax.span(),
                "search is not available in this build",
                "`"
                        + syntax.function().text()
                        + "` is parsed but not run; `contains`, `starts_with` and `matches` are");
    }

    private Expression aggregate(ExpressionSyntax.Aggregate syntax) {
        String word = syntax.function().name().toLowerCase(Locale.ROOT);
        if (noAggregate != null) {
            throw findings.refuse(
                    "T9",
                    syntax.span(),
                    "the aggregate `" + word + "` cannot be used in " + noAggregate,
                    "aggregates belong in `return` and `order`; in `match` compare one over a block:"
                            + " `count { … } > 2`");
        }
        noAggregate = "another aggregate";
        Expression operand;
        try {
            operand = check(syntax.operand());
        } finally {
            noAggregate = null;
        }
        return new Expression.Aggregate(
                syntax.function(),
                syntax.distinct(),
                operand,
                aggregateType(syntax.function(), operand, syntax.operand().span()),
                findings.origin(syntax.span()));
    }

    /**
     * The type of an aggregate over an operand. Notes T8 for a bare entity and T4 for a type that it cannot aggregate.
     */
    PropertyType aggregateType(AggregateFunction function, Expression operand, Span span) {
        String word = function.name().toLowerCase(Locale.ROOT);
        if (function == AggregateFunction.COUNT) {
            return PropertyType.I64;
        }
        Family family = operand.family();
        PropertyType type = operand.type();
        if (family == Family.ENTITY) {
            throw findings.refuse(
                    "T8",
                    span,
                    "`" + word + "` over the bare variable `" + findings.text(span) + "`",
                    "name a property, such as `"
                            + word
                            + "("
                            + findings.text(span)
                            + ".age)`; only `count` takes a bare"
                            + " variable");
        }
        boolean fits = switch (function) {
            case COUNT -> true;
            case SUM, AVG -> family == Family.NUMBER;
            case MIN, MAX -> family.ordered();
            case COLLECT -> family.ordered() || family == Family.BOOL;
        };
        if (!fits || type == null) {
            throw findings.refuse("T4", span, "`" + word + "` cannot run over " + operand.typeName(), null);
        }
        return function == AggregateFunction.COLLECT
                ? new PropertyType.ListOf(Family.itemType(type))
                : function.over(type);
    }
}
