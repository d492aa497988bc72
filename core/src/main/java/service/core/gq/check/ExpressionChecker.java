package service.core.gq.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Binds and type-checks expressions in an {@link Environment}; the checkers of forms do it for what is within them. */
final class ExpressionChecker {
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final Environment environment;
    private final FunctionChecker functions;
    private final AggregateChecker aggregates;
    private final ComparisonChecker comparisons;
    private final ListChecker lists;
    private final FormChecker forms;
    private final SearchChecker searches;

    /** The variables of the loops around the current expression, the outermost first. */
    private final Map<String, Expression.Local> locals = new LinkedHashMap<>();

    /**
     * A checker for one place.
     *
     * @param noAggregate describes the place where aggregates are refused; null where they are allowed
     */
    ExpressionChecker(
            QueryFindings findings, ParameterTable parameters, Environment environment, @Nullable String noAggregate) {
        this.findings = findings;
        this.parameters = parameters;
        this.environment = environment;
        this.functions = new FunctionChecker(findings);
        this.aggregates = new AggregateChecker(findings, parameters, this, noAggregate);
        this.comparisons = new ComparisonChecker(findings, this);
        this.lists = new ListChecker(findings, this);
        this.forms = new FormChecker(findings, environment, this);
        this.searches = new SearchChecker(findings, parameters, environment, this);
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
    Expression truth(ExpressionSyntax syntax, String what) {
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
            case ExpressionSyntax.ListOf s -> lists.list(s);
            case ExpressionSyntax.Element s -> lists.element(s);
            case ExpressionSyntax.Slice s -> lists.slice(s);
            case ExpressionSyntax.Concat s -> lists.concat(s);
            case ExpressionSyntax.Loop s -> lists.loop(s);
            case ExpressionSyntax.Case s -> forms.choice(s);
            case ExpressionSyntax.Struct s -> forms.record(s);
            case ExpressionSyntax.FieldOf s ->
                forms.field(check(s.subject()), s.subject().span(), s.name(), s.nameSpan());
            case ExpressionSyntax.MetaOf s ->
                forms.meta(check(s.subject()), s.subject().span(), s.field(), s.span());
            case ExpressionSyntax.Dollar s -> variable(s);
            case ExpressionSyntax.Property s -> property(s);
            case ExpressionSyntax.Meta s -> {
                Expression value = valueOf(s.subject());
                yield value == null
                        ? environment.meta(s)
                        : forms.meta(value, s.subject().span(), s.field(), s.span());
            }
            case ExpressionSyntax.OwnMeta s -> environment.ownMeta(s);
            case ExpressionSyntax.Word s -> environment.word(s);
            case ExpressionSyntax.Call s -> {
                Expression ofPath = environment.ofPath(s);
                yield ofPath != null
                        ? ofPath
                        : functions.call(
                                s, s.arguments().stream().map(this::check).toList());
            }
            case ExpressionSyntax.Search s -> searches.search(s);
            case ExpressionSyntax.Aggregate s -> aggregates.aggregate(s);
            case ExpressionSyntax.BlockValue s -> environment.block(s, forms.guard());
            case ExpressionSyntax.And s -> new Expression.And(conditions(s.operands(), "and"));
            case ExpressionSyntax.Or s -> new Expression.Or(conditions(s.operands(), "or"));
            case ExpressionSyntax.Not s -> new Expression.Not(truth(s.operand(), "the operand of `not`"));
            case ExpressionSyntax.Compare s -> comparisons.compare(s);
            case ExpressionSyntax.TextTest s -> comparisons.textTest(s);
            case ExpressionSyntax.In s -> comparisons.in(s);
            case ExpressionSyntax.IsNull s -> new Expression.IsNull(check(s.operand()), s.negated());
            case ExpressionSyntax.Arithmetic s -> arithmetic(s);
            case ExpressionSyntax.Negate s -> negate(s);
        };
    }

    private Expression variable(ExpressionSyntax.Dollar syntax) {
        Expression.Local local = locals.get(syntax.name());
        if (local != null) {
            return local;
        }
        Expression.Argument argument = parameters.use(syntax.name());
        return argument != null ? argument : environment.variable(syntax);
    }

    private Expression property(ExpressionSyntax.Property syntax) {
        Expression value = valueOf(syntax.subject());
        return value == null
                ? environment.property(syntax)
                : forms.field(value, syntax.subject().span(), syntax.name(), syntax.nameSpan());
    }

    /** The value that a variable is bound to; null for a variable of an entity, a parameter and an unknown name. */
    private @Nullable Expression valueOf(ExpressionSyntax.Dollar syntax) {
        Expression.Local local = locals.get(syntax.name());
        return local != null ? local : environment.value(syntax.name());
    }

    /** Checks the body of a loop, which sees the variable of the loop and may hold no aggregate. */
    <T> T within(ExpressionSyntax.Dollar each, Expression.Local local, Supplier<T> body) {
        String name = each.name();
        if (locals.containsKey(name) || parameters.has(name) || environment.isVariable(name)) {
            throw findings.refuse(
                    "T7",
                    each.span(),
                    "`$" + name + "` is bound already",
                    "give the variable of the loop another name");
        }
        locals.put(name, local);
        try {
            return aggregates.refusing("a loop over a list", body);
        } finally {
            locals.remove(name);
        }
    }

    /** Whether an expression that is sorted by without a direction is sorted best first. */
    boolean isRanking(ExpressionSyntax syntax) {
        return switch (syntax) {
            case ExpressionSyntax.Search search -> search.function().isRanking();
            case ExpressionSyntax.Dollar dollar -> environment.isRanking(dollar.name());
            default -> false;
        };
    }

    /** Whether a key is sorted in descending order. */
    boolean isDescending(GqFile.OrderKey key) {
        return key.isDirected() ? key.descending() : isRanking(key.expression());
    }

    /** The ids of the entities of a row; see {@link Environment#rowIds}. */
    List<Expression> rowIds() {
        return environment.rowIds();
    }

    /** The number of loops around the current expression. */
    int depth() {
        return locals.size();
    }

    /** An aggregate, where one may stand. */
    Expression.Aggregate unrefused(ExpressionSyntax.Aggregate syntax) {
        return aggregates.unrefused(syntax);
    }

    /** The type of an operand of arithmetic; T4 for what is no number. */
    PropertyType number(Expression operand, Span span) {
        return functions.number(operand, span);
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

    private Expression arithmetic(ExpressionSyntax.Arithmetic syntax) {
        Expression leftSide = check(syntax.left());
        Expression rightSide = check(syntax.right());
        PropertyType left = functions.number(leftSide, syntax.left().span());
        PropertyType right = functions.number(rightSide, syntax.right().span());
        PropertyType type = Family.arithmeticType(left, right);
        return new Expression.Arithmetic(syntax.operator(), leftSide, rightSide, type, findings.origin(syntax.span()));
    }

    private Expression negate(ExpressionSyntax.Negate syntax) {
        Expression operand = check(syntax.operand());
        PropertyType type = functions.number(operand, syntax.operand().span());
        PropertyType result = Family.arithmeticType(type, PropertyType.I64);
        return new Expression.Negate(operand, result, findings.origin(syntax.span()));
    }
}
