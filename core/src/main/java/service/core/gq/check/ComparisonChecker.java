package service.core.gq.check;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.schema.TextPattern;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Checks comparisons, tests of texts, and membership in lists. */
final class ComparisonChecker {
    private final QueryFindings findings;
    private final ExpressionChecker checker;

    ComparisonChecker(QueryFindings findings, ExpressionChecker checker) {
        this.findings = findings;
        this.checker = checker;
    }

    Expression compare(ExpressionSyntax.Compare syntax) {
        Expression left = checker.check(syntax.left());
        Expression right = checker.check(syntax.right());
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
        ValueType one = left.type();
        ValueType two = right.type();
        boolean isMade = family == Family.LIST || family == Family.RECORD || family == Family.PATH;
        if (isMade && one != null && two != null && ValueTypes.common(one, two) == null) {
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

    Expression textTest(ExpressionSyntax.TextTest syntax) {
        String word = syntax.operator().name().toLowerCase(Locale.ROOT);
        Expression left = checker.check(syntax.left());
        Expression right = checker.check(syntax.right());
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

    Expression in(ExpressionSyntax.In syntax) {
        Expression left = checker.check(syntax.left());
        Expression list = checker.check(syntax.list());
        ValueType item = ValueType.itemOf(list.type());
        boolean sought = left.family() == Family.ENTITY && !(item instanceof ValueType.Entity);
        if (left.family() == Family.NULL || (sought && list.family() == Family.LIST)) {
            throw findings.refuse(
                    "T4",
                    syntax.left().span(),
                    left.typeName() + " cannot be the left side of `in`",
                    sought ? "ask for its `@id`, or keep entities in the list" : "write `… is null`");
        }
        if (list.family() != Family.LIST) {
            throw findings.refuse(
                    "T4",
                    syntax.list().span(),
                    "`in` takes a list, but `" + findings.text(syntax.list().span()) + "` is " + list.typeName(),
                    syntax.list() instanceof ExpressionSyntax.Dollar
                            ? "declare the parameter as a list, such as `[String]`"
                            : "write `in [\"a\", \"b\"]`, `in $names` or `in $x.tags`");
        }
        ValueType type = left.type();
        if (item != null && (type == null || ValueTypes.common(item, type) == null)) {
            throw findings.refuse(
                    "T4", syntax.span(), left.typeName() + " cannot be in a list of type " + list.typeName(), null);
        }
        if (syntax.list() instanceof ExpressionSyntax.ListOf written) {
            for (int i = 0; i < written.items().size(); i++) {
                requireWord(left, itemAt(list, i), written.items().get(i).span());
            }
        }
        Expression in = new Expression.In(left, list);
        return syntax.negated() ? new Expression.Not(in) : in;
    }

    private static Expression itemAt(Expression list, int index) {
        return list instanceof Expression.Literal literal && literal.value() instanceof Value.ListOf values
                ? new Expression.Literal(values.items().get(index), null)
                : list.operands().get(index);
    }
}
