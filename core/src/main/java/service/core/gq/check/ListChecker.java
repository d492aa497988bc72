package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.LoopKind;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Checks lists, their items and slices, what joins them, and loops over them. */
final class ListChecker {
    private final QueryFindings findings;
    private final ExpressionChecker checker;

    ListChecker(QueryFindings findings, ExpressionChecker checker) {
        this.findings = findings;
        this.checker = checker;
    }

    Expression list(ExpressionSyntax.ListOf syntax) {
        List<Expression> items = new ArrayList<>();
        ValueType common = null;
        for (ExpressionSyntax item : syntax.items()) {
            Expression checked = checker.check(item);
            requireItem(checked, item.span());
            items.add(checked);
            try {
                common = ValueTypes.common(common, checked);
            } catch (ValueTypes.Unlike e) {
                throw findings.refuse(
                        "T33", item.span(), "the list mixes " + e.pair(), "the items of a list are of one type");
            }
        }
        ValueType type = common == null ? null : ValueType.listOf(common);
        List<Value> values = new ArrayList<>();
        for (Expression item : items) {
            if (!(item instanceof Expression.Literal literal)) {
                return new Expression.ListOf(List.copyOf(items), type);
            }
            values.add(literal.value());
        }
        return new Expression.Literal(new Value.ListOf(values), type);
    }

    private void requireItem(Expression item, Span span) {
        Family family = item.family();
        if (family == Family.LIST || family == Family.VECTOR || family == Family.BLOB) {
            throw findings.refuse(
                    "T4",
                    span,
                    "a list cannot hold " + item.typeName(),
                    family == Family.LIST ? "lists do not nest; `||` joins lists" : null);
        }
    }

    Expression element(ExpressionSyntax.Element syntax) {
        Expression list = checker.check(syntax.list());
        requireList(list, syntax.list().span(), "an index");
        Expression index = index(syntax.index());
        ValueType item = ValueType.itemOf(list.type());
        return item == null ? new Expression.Literal(Value.NULL, null) : new Expression.Element(list, index, item);
    }

    Expression slice(ExpressionSyntax.Slice syntax) {
        Expression list = checker.check(syntax.list());
        requireList(list, syntax.list().span(), "a slice");
        Expression from = bound(syntax.from(), 0);
        Expression to = bound(syntax.to(), Long.MAX_VALUE);
        ValueType type = list.type();
        return type == null ? list : new Expression.Slice(list, from, to, type);
    }

    private Expression bound(@Nullable ExpressionSyntax written, long missing) {
        return written == null ? new Expression.Literal(new Value.Int(missing), PropertyType.I64) : index(written);
    }

    private Expression index(ExpressionSyntax syntax) {
        Expression index = checker.check(syntax);
        ValueType type = index.type();
        if (type == null || !Family.isInteger(type)) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "an index is an integer, but `" + findings.text(syntax.span()) + "` is " + index.typeName(),
                    index.family() == Family.NUMBER ? "write `to_int(…)` around it" : null);
        }
        return index;
    }

    private void requireList(Expression list, Span span, String what) {
        if (list.family() != Family.LIST) {
            throw findings.refuse(
                    "T4",
                    span,
                    what + " takes a list, but `" + findings.text(span) + "` is " + list.typeName(),
                    switch (list.family()) {
                        case TEXT -> "write `substring(…)` for a part of a string";
                        case PATH -> "write `nodes(…)` or `edges(…)` around it";
                        case ENTITY -> "write `" + findings.text(span) + ".name` for a property";
                        default -> null;
                    });
        }
    }

    Expression concat(ExpressionSyntax.Concat syntax) {
        Expression left = checker.check(syntax.left());
        Expression right = checker.check(syntax.right());
        requireJoinable(left, syntax.left().span());
        requireJoinable(right, syntax.right().span());
        if (left.family() != right.family()) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "`||` cannot join " + left.typeName() + " and " + right.typeName(),
                    left.family() == Family.LIST || right.family() == Family.LIST
                            ? "a list of one item is written in brackets: `$list || [$x]`"
                            : null);
        }
        if (left.family() == Family.TEXT) {
            return new Expression.Concat(left, right, PropertyType.STRING);
        }
        ValueType one = left.type();
        ValueType two = right.type();
        if (one == null || two == null) {
            ValueType known = one == null ? two : one;
            return known == null ? left : new Expression.Concat(left, right, known);
        }
        ValueType common = ValueTypes.common(one, two);
        if (common == null) {
            throw findings.refuse(
                    "T33",
                    syntax.span(),
                    "`||` joins lists of one type, not " + one + " and " + two,
                    "the items of a list are of one type");
        }
        return new Expression.Concat(left, right, common);
    }

    private void requireJoinable(Expression operand, Span span) {
        Family family = operand.family();
        if (family != Family.TEXT && family != Family.LIST) {
            boolean plain = family == Family.BOOL || family.ordered();
            throw findings.refuse(
                    "T4",
                    span,
                    "`||` joins strings or lists, but `" + findings.text(span) + "` is " + operand.typeName(),
                    plain ? "write `to_string(" + findings.text(span) + ")`" : null);
        }
    }

    Expression loop(ExpressionSyntax.Loop syntax) {
        Expression list = checker.check(syntax.list());
        requireList(list, syntax.list().span(), "a loop");
        ValueType item = ValueType.itemOf(list.type());
        if (item == null) {
            return ofNothing(syntax.kind());
        }
        Expression.Local local = new Expression.Local(checker.depth(), item);
        return checker.within(syntax.each(), local, () -> loop(syntax, list, local));
    }

    private Expression loop(ExpressionSyntax.Loop syntax, Expression list, Expression.Local local) {
        ExpressionSyntax condition = syntax.where();
        Expression where = condition == null
                ? new Expression.Literal(new Value.Bool(true), PropertyType.BOOL)
                : checker.truth(condition, "the condition of a loop");
        if (syntax.kind() != LoopKind.LIST) {
            return new Expression.Loop(syntax.kind(), local.depth(), list, where, local, PropertyType.BOOL);
        }
        ExpressionSyntax written = syntax.map();
        Expression map = written == null ? local : checker.check(written);
        if (written != null) {
            requireItem(map, written.span());
        }
        ValueType made = map.type();
        if (made == null) {
            throw findings.refuse(
                    "T4",
                    Objects.requireNonNull(written).span(),
                    "a list of nothing but null",
                    "name a value of each item");
        }
        return new Expression.Loop(LoopKind.LIST, local.depth(), list, where, map, ValueType.listOf(made));
    }

    /** A loop over the empty list. */
    private static Expression ofNothing(LoopKind kind) {
        return switch (kind) {
            case ANY -> new Expression.Literal(new Value.Bool(false), PropertyType.BOOL);
            case ALL, NONE -> new Expression.Literal(new Value.Bool(true), PropertyType.BOOL);
            case LIST -> new Expression.Literal(new Value.ListOf(List.of()), null);
        };
    }
}
