package service.projection.query;

import java.util.ArrayList;
import java.util.List;
import service.core.gq.plan.Expression;
import service.core.testkit.HeapGraph;
import service.core.value.Direction;
import service.core.value.Value;
import service.core.value.ValueOrder;

/** Evaluates {@code case}, lists, records and loops for one row at a time. An entity in a value is its id and type. */
final class NaiveForms {
    private final NaiveExpressions all;
    private final List<Value> items = new ArrayList<>();

    NaiveForms(NaiveExpressions all) {
        this.all = all;
    }

    Value eval(Expression expression, NaiveEvaluator.Row row, List<NaiveEvaluator.Row> group) {
        return switch (expression) {
            case Expression.Case e -> {
                for (int i = 0; i < e.conditions().size(); i++) {
                    if (NaiveExpressions.isTrue(all.eval(e.conditions().get(i), row, group))) {
                        yield fitting(e, all.eval(e.results().get(i), row, group));
                    }
                }
                yield fitting(e, all.eval(e.results().getLast(), row, group));
            }
            case Expression.Concat e -> {
                Value left = all.eval(e.left(), row, group);
                Value right = all.eval(e.right(), row, group);
                if (left instanceof Value.Null || right instanceof Value.Null) {
                    yield Value.NULL;
                }
                if (left instanceof Value.Text(String one) && right instanceof Value.Text(String two)) {
                    yield new Value.Text(one.concat(two));
                }
                List<Value> joined = new ArrayList<>(((Value.ListOf) left).items());
                joined.addAll(((Value.ListOf) right).items());
                yield new Value.ListOf(joined);
            }
            case Expression.Element e -> {
                Value list = all.eval(e.list(), row, group);
                Value index = all.eval(e.index(), row, group);
                if (!(list instanceof Value.ListOf(List<Value> of)) || index instanceof Value.Null) {
                    yield Value.NULL;
                }
                long at = NaiveExpressions.whole(index).longValue();
                List<Value> from = at < 0 ? of.reversed() : of;
                long place = at < 0 ? -1 - at : at;
                yield place < from.size() ? from.get((int) place) : Value.NULL;
            }
            case Expression.Slice e -> {
                Value list = all.eval(e.list(), row, group);
                Value from = all.eval(e.from(), row, group);
                Value to = all.eval(e.to(), row, group);
                if (list instanceof Value.Null || from instanceof Value.Null || to instanceof Value.Null) {
                    yield Value.NULL;
                }
                List<Value> kept = new ArrayList<>();
                long place = 0;
                for (Value item : ((Value.ListOf) list).items()) {
                    if (place >= ((Value.Int) from).value() && place < ((Value.Int) to).value()) {
                        kept.add(item);
                    }
                    place++;
                }
                yield new Value.ListOf(kept);
            }
            case Expression.RecordOf e -> new Value.Struct(e.type().names(), all.all(e.values(), row, group));
            case Expression.FieldOf e ->
                all.eval(e.subject(), row, group) instanceof Value.Struct(List<String> names, List<Value> values)
                        ? values.get(names.indexOf(e.name()))
                        : Value.NULL;
            case Expression.PropertyOfValue e -> {
                HeapGraph.Entity entity = entity(all.eval(e.subject(), row, group));
                Integer property = entity == null ? null : e.identityByType().get(entity.type);
                yield property == null ? Value.NULL : entity.get(property);
            }
            case Expression.MetaOfValue e -> {
                HeapGraph.Entity entity = entity(all.eval(e.subject(), row, group));
                yield switch (e.meta()) {
                    case ID -> NaiveExpressions.text(entity, of -> of.id);
                    case TYPE ->
                        NaiveExpressions.text(
                                entity,
                                of -> all.graph.catalog.requireType(of.type).name());
                    case SRC -> all.end(entity, Direction.OUT);
                    case DST -> all.end(entity, Direction.IN);
                    case SRC_TYPE -> all.endType(entity, Direction.OUT);
                    case DST_TYPE -> all.endType(entity, Direction.IN);
                };
            }
            case Expression.Local e -> items.get(e.depth());
            case Expression.Loop e -> loop(e, row, group);
            default -> throw new IllegalStateException("evaluated elsewhere: " + expression);
        };
    }

    private static Value fitting(Expression.Case e, Value value) {
        return NaiveExpressions.isReal(e.type()) && !(value instanceof Value.Null)
                ? new Value.Real(NaiveExpressions.real(value))
                : value;
    }

    HeapGraph.Entity entity(Value idAndType) {
        if (!(idAndType instanceof Value.Text(String text))) {
            return null;
        }
        int type = Integer.parseInt(text.substring(text.lastIndexOf(' ') + 1));
        String id = text.substring(0, text.lastIndexOf(' '));
        return all.graph.live(type).stream()
                .filter(each -> each.id.equals(id))
                .findFirst()
                .orElseThrow();
    }

    private Value loop(Expression.Loop e, NaiveEvaluator.Row row, List<NaiveEvaluator.Row> group) {
        if (!(all.eval(e.list(), row, group) instanceof Value.ListOf(List<Value> of))) {
            return Value.NULL;
        }
        List<Value> kept = new ArrayList<>();
        List<Value> truths = new ArrayList<>();
        for (Value item : of) {
            items.add(item);
            try {
                Value holds = all.eval(e.where(), row, group);
                truths.add(holds);
                if (e.kind() == Expression.LoopKind.LIST && NaiveExpressions.isTrue(holds)) {
                    kept.add(all.eval(e.map(), row, group));
                }
            } finally {
                items.removeLast();
            }
        }
        boolean some = truths.stream().anyMatch(NaiveExpressions::isTrue);
        boolean lacking = truths.contains(NaiveExpressions.bool(false));
        boolean unknown = truths.contains(Value.NULL);
        return switch (e.kind()) {
            case LIST -> new Value.ListOf(kept);
            case ANY -> some || !unknown ? NaiveExpressions.bool(some) : Value.NULL;
            case NONE -> some || !unknown ? NaiveExpressions.bool(!some) : Value.NULL;
            case ALL -> lacking || !unknown ? NaiveExpressions.bool(!lacking) : Value.NULL;
        };
    }

    /** The three-valued equality, item by item. */
    static Value equal(Value left, Value right) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        List<Value> one = parts(left);
        List<Value> two = parts(right);
        if (one == null || two == null) {
            return NaiveExpressions.bool(ValueOrder.equal(left, right));
        }
        if (one.size() != two.size()) {
            return NaiveExpressions.bool(false);
        }
        List<Value> each = new ArrayList<>();
        for (int i = 0; i < one.size(); i++) {
            each.add(equal(one.get(i), two.get(i)));
        }
        return each.contains(NaiveExpressions.bool(false))
                ? NaiveExpressions.bool(false)
                : each.contains(Value.NULL) ? Value.NULL : NaiveExpressions.bool(true);
    }

    private static List<Value> parts(Value value) {
        return switch (value) {
            case Value.ListOf(List<Value> of) -> of;
            case Value.Struct(List<String> names, List<Value> values) -> values;
            default -> null;
        };
    }
}
