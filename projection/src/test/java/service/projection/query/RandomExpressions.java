package service.projection.query;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import service.core.gq.function.Family;
import service.core.gq.function.Function;
import service.core.gq.function.Parameter;
import service.core.gq.function.Signature;
import service.projection.query.RandomSource.Var;

/** Random expressions as text, by the family of their values. */
final class RandomExpressions extends Dice {
    /**
     * Variables that stages have bound to values, by the kinds {@code int}, {@code text}, {@code date}, {@code list}.
     */
    final List<Var> values = new ArrayList<>();

    final RandomForms forms = new RandomForms(random, this);

    /** Makes the clauses of a block, with braces, and adds the variables that they bind. */
    java.util.function.Function<List<Var>, String> blocks = scope -> "{ " + bool(scope, 2) + " }";

    /** Blocks that are open: they stand in each other rarely. */
    private int open;

    RandomExpressions(Random random) {
        super(random);
    }

    private boolean takesBlock() {
        return open < 2 && chance(open == 0 ? 0.06 : 0.03);
    }

    /**
     * A block with an aggregate over its matches.
     *
     * @param kind what comes of it: {@code int}, {@code text} or {@code bool}
     */
    private String block(List<Var> scope, String kind) {
        open++;
        List<Var> inside = new ArrayList<>(scope);
        int outside = values.size();
        String body = blocks.apply(inside);
        String distinct = chance(0.2) ? "distinct " : "";
        String value = switch (kind) {
            case "int" ->
                any(
                        () -> "count " + body,
                        () -> "count(" + distinct
                                + (inside.isEmpty() ? "1" : pick(inside).name()) + ") " + body,
                        () -> pick(List.of("sum", "min", "max")) + "(" + distinct + integer(inside, 2) + where(inside)
                                + ") " + body,
                        () -> "to_int(median(" + integer(inside, 2) + ") " + body + ")",
                        () -> "length(collect(" + distinct + text(inside, 2) + ") " + body + ")");
            case "text" -> pick(List.of("min", "max")) + "(" + text(inside, 1) + ") " + body;
            default -> any(() -> "exists " + body, () -> "(not " + body + ")");
        };
        // What `let` and `for` bind in a block is not seen outside.
        values.subList(outside, values.size()).clear();
        open--;
        return value;
    }

    private boolean has(String kind) {
        return values.stream().anyMatch(v -> v.type().equals(kind)) && chance(0.3);
    }

    private String value(String kind) {
        return pick(values.stream().filter(v -> v.type().equals(kind)).toList()).name();
    }

    String of(List<Var> scope, String type, String property) {
        List<Var> fit = scope.stream().filter(v -> v.type().equals(type)).toList();
        return fit.isEmpty() ? null : pick(fit).name() + "." + property;
    }

    String or(String first, String otherwise) {
        return first == null ? otherwise : first;
    }

    String word() {
        return '"' + pick(RandomGraphs.WORDS) + '"';
    }

    String city() {
        return pick(List.of("\"oslo\"", "\"rome\"", "\"bonn\""));
    }

    String integer(List<Var> scope, int depth) {
        if (has("int")) {
            return value("int");
        }
        if (takesBlock()) {
            return block(scope, "int");
        }
        String literal = String.valueOf(below(4) - 1);
        if (depth > 1 || chance(0.4)) {
            return any(
                    () -> literal,
                    () -> "$i",
                    () -> "$ni",
                    () -> or(of(scope, "Person", "age"), literal),
                    () -> or(of(scope, "Person", "age"), literal),
                    () -> or(of(scope, "Company", "size"), literal),
                    () -> or(of(scope, "knows", "since"), literal));
        }
        return any(
                () -> forms.integer(scope, depth + 1),
                () -> or(of(scope, "Person", "age"), literal),
                () -> or(of(scope, "knows", "since"), literal),
                () -> sum(integer(scope, depth + 1), "+", integer(scope, depth + 1)),
                () -> sum(integer(scope, depth + 1), "-", integer(scope, depth + 1)),
                () -> sum(integer(scope, depth + 1), "*", integer(scope, depth + 1)),
                () -> sum(integer(scope, depth + 1), pick(List.of("/", "%")), "2"),
                () -> sum("6", pick(List.of("/", "%")), integer(scope, 2)),
                () -> "-" + or(of(scope, "Person", "age"), "$i"),
                () -> "abs(" + integer(scope, depth + 1) + ")",
                () -> "round(" + integer(scope, depth + 1) + ")",
                () -> "length(" + text(scope, depth + 1) + ")",
                () -> "length(" + or(of(scope, "Person", "tags"), "$ls") + ")",
                () -> "year(" + date(scope) + ")",
                () -> "date_diff(" + date(scope) + ", " + date(scope) + ")",
                () -> "datetime_diff(" + moment(scope) + ", " + date(scope) + ")",
                () -> "month(" + moment(scope) + ")",
                () -> "day(" + date(scope) + ")",
                () -> "coalesce(" + integer(scope, 2) + ", " + integer(scope, 2) + ")");
    }

    private String sum(String left, String operator, String right) {
        return "(" + left + " " + operator + " " + right + ")";
    }

    String real(List<Var> scope) {
        return any(
                () -> String.valueOf(below(4) * 0.5 - 0.5),
                () -> "$f",
                () -> or(of(scope, "Person", "score"), "0.5"),
                () -> or(of(scope, "Person", "ratio"), "1e0"),
                () -> sum(or(of(scope, "Person", "score"), "2.0"), "*", "2"),
                () -> sum("1.5", pick(List.of("-", "+")), or(of(scope, "Person", "age"), "1")),
                () -> sum(or(of(scope, "Person", "score"), "1.0"), "/", "$f"),
                () -> "round(" + or(of(scope, "Person", "score"), "0.5") + ")",
                () -> "abs(" + or(of(scope, "Person", "score"), "-0.5") + ")");
    }

    private String unsigned(List<Var> scope) {
        return any(
                () -> "$u", () -> "18446744073709551615", () -> or(of(scope, "Person", "big"), "18446744073709551614"));
    }

    /** Arithmetic over both signs: the results fit I64, U64, both or neither. */
    private String mixed(List<Var> scope) {
        return any(
                () -> unsigned(scope),
                () -> sum(unsigned(scope), pick(List.of("+", "-", "*", "/", "%")), integer(scope, 2)),
                () -> sum(integer(scope, 2), pick(List.of("+", "-", "*", "/", "%")), unsigned(scope)),
                () -> sum(unsigned(scope), pick(List.of("-", "/", "%")), unsigned(scope)),
                () -> "-" + sum(unsigned(scope), "-", integer(scope, 2)),
                () -> "-" + or(of(scope, "Person", "big"), "$u"),
                () -> "abs(" + sum(integer(scope, 2), "-", unsigned(scope)) + ")",
                () -> "coalesce(" + integer(scope, 2) + ", " + unsigned(scope) + ")",
                () -> "coalesce(" + or(of(scope, "Person", "big"), "$u") + ", " + integer(scope, 2) + ")");
    }

    String number(List<Var> scope, int depth) {
        return switch (below(6)) {
            case 0 -> real(scope);
            case 1 -> mixed(scope);
            default -> integer(scope, depth);
        };
    }

    String text(List<Var> scope, int depth) {
        if (has("text")
                || (scope.isEmpty() && values.stream().anyMatch(v -> v.type().equals("text")))) {
            return value("text");
        }
        if (takesBlock()) {
            return block(scope, "text");
        }
        if (scope.isEmpty()) {
            return word();
        }
        if (depth < 2 && chance(0.3)) {
            return any(
                    () -> forms.text(scope, depth + 1),
                    () -> "lower(" + text(scope, depth + 1) + ")",
                    () -> "upper(" + text(scope, depth + 1) + ")",
                    () -> "coalesce(" + text(scope, 2) + ", " + text(scope, 2) + ")");
        }
        Var var = pick(scope);
        return any(
                this::word,
                () -> "$s",
                () -> "$ns",
                () -> var.name() + ".@id",
                () -> var.name() + ".@type",
                () -> named(scope),
                () -> named(scope),
                () -> or(of(scope, "worksAt", "role"), word()),
                () -> end(scope));
    }

    private String named(List<Var> scope) {
        return or(of(scope, pick(List.of("Person", "Person", "Company", "Named")), "name"), word());
    }

    private String end(List<Var> scope) {
        List<Var> edges = scope.stream().filter(Var::isEdge).toList();
        return edges.isEmpty() ? word() : pick(edges).name() + pick(List.of(".@src", ".@dst"));
    }

    String date(List<Var> scope) {
        if (has("date")) {
            return value("date");
        }
        return any(
                () -> or(of(scope, "Person", "born"), "$d"),
                () -> "date(\"1970-01-0" + (1 + below(3)) + "\")",
                () -> "$d",
                () -> "date(" + or(of(scope, "Person", "seen"), "now()") + ")",
                () -> "truncate(" + or(of(scope, "Person", "born"), "$d") + ", "
                        + pick(List.of("\"year\"", "\"quarter\"", "\"month\"", "\"week\"", "\"day\"")) + ")");
    }

    private String moment(List<Var> scope) {
        return any(
                () -> or(of(scope, "Person", "seen"), "now()"),
                () -> "datetime(\"1970-01-01T0" + below(3) + ":00:00+01:00\")",
                () -> "now()",
                () -> "datetime(" + or(of(scope, "Person", "born"), "$d") + ")",
                () -> "truncate(" + or(of(scope, "Person", "seen"), "now()") + ", "
                        + pick(List.of("\"month\"", "\"week\"", "\"hour\"", "\"minute\"", "\"second\"", "\"year\""))
                        + ")");
    }

    /** A comparison between two variables, such as joins are made of. */
    String joining(List<Var> scope) {
        String operator = chance(0.7) ? " = " : " " + pick(RandomSource.COMPARISONS) + " ";
        return any(
                () -> or(of(scope, "Person", "age"), "1") + operator + or(of(scope, "Company", "size"), "$i"),
                () -> named(scope) + operator + named(scope),
                () -> or(of(scope, "Person", "age"), "1")
                        + operator
                        + or(of(scope, "Person", pick(List.of("age", "score", "big"))), "1"),
                () -> or(of(scope, "Person", "city"), "$c") + operator + or(of(scope, "Person", "city"), city()),
                () -> pick(scope).name() + ".@id" + operator + pick(scope).name() + ".@id",
                () -> end(scope) + operator + pick(scope).name() + ".@id");
    }

    String bool(List<Var> scope, int depth) {
        if (has("list")) {
            return any(
                    () -> text(scope, 1) + " in " + value("list"),
                    () -> value("list") + " contains " + text(scope, 1),
                    () -> "length(" + value("list") + ") > " + below(3));
        }
        if (takesBlock()) {
            return block(scope, "bool");
        }
        if (scope.isEmpty()) {
            return integer(scope, 2) + " " + pick(RandomSource.COMPARISONS) + " " + integer(scope, 2);
        }
        if (depth < 2 && chance(0.35)) {
            return any(
                    () -> "(" + bool(scope, depth + 1) + " and " + bool(scope, depth + 1) + ")",
                    () -> "(" + bool(scope, depth + 1) + " or " + bool(scope, depth + 1) + ")",
                    () -> "not (" + bool(scope, depth + 1) + ")",
                    () -> "(" + bool(scope, depth + 1) + pick(List.of(" or null)", " and null)")),
                    () -> "(not " + bool(scope, 2) + " or " + bool(scope, 2) + ")");
        }
        String operator = " " + (chance(0.5) ? "=" : pick(RandomSource.COMPARISONS)) + " ";
        return any(
                () -> forms.bool(scope, depth + 1),
                () -> forms.bool(scope, depth + 1),
                () -> number(scope, 0) + operator + number(scope, 1),
                () -> number(scope, 1) + operator + number(scope, 0),
                () -> or(of(scope, "Person", "age"), "1") + operator + (below(4) - 1),
                () -> or(of(scope, "knows", "since"), "1") + operator + below(3),
                () -> text(scope, 0) + operator + text(scope, 1),
                () -> named(scope) + operator + word(),
                () -> pick(scope).name() + ".@id" + operator + id(),
                () -> or(of(scope, "Person", "city"), "$c") + operator + city(),
                () -> date(scope) + operator + date(scope),
                () -> moment(scope) + operator + moment(scope),
                () -> age(scope),
                () -> or(of(scope, "Person", "active"), "$b"),
                () -> or(of(scope, "Person", "active"), "$b") + " = " + chance(0.5),
                () -> text(scope, 0) + " " + test() + " " + word(),
                () -> named(scope) + " starts_with " + word(),
                () -> named(scope) + " matches " + pick(List.of("\"^a.*\"", "\"b|é\"", "\"\"")),
                () -> or(of(scope, "Person", "tags"), "$ls") + " contains " + text(scope, 1),
                () -> integer(scope, 1) + in() + integers(),
                () -> named(scope) + in() + words(),
                () -> pick(scope).name() + ".@id" + in() + "[" + id() + ", " + id() + "]",
                () -> or(of(scope, "Person", "city"), "$c") + in() + "[\"oslo\", \"rome\"]",
                () -> text(scope, 1) + " is " + (chance(0.5) ? "not " : "") + "null",
                () -> call(scope) + " is not null",
                () -> integer(scope, 1) + " is " + (chance(0.5) ? "not " : "") + "null",
                () -> String.valueOf(chance(0.5)));
    }

    /** How old a moment is, as ranges of indexes answer it, with both orders of everything that has an order. */
    private String age(List<Var> scope) {
        String property = or(of(scope, "Person", pick(List.of("born", "seen"))), "$d");
        String constant =
                pick(List.of("now()", "date(now())", "truncate(now(), \"month\")", "$d", "date(\"1970-01-01\")"));
        boolean swapped = chance(0.5);
        String difference = (chance(0.5) ? "date_diff(" : "datetime_diff(")
                + (swapped ? constant + ", " + property : property + ", " + constant)
                + ")";
        String bound = any(
                () -> String.valueOf(below(5) - 2),
                () -> String.valueOf((below(9) - 4) * 21_600_000L),
                () -> "$i",
                () -> "$ni",
                () -> "9223372036854775807",
                () -> "3000000");
        String operator = " " + pick(RandomSource.COMPARISONS) + " ";
        return chance(0.7) ? difference + operator + bound : bound + operator + difference;
    }

    private String id() {
        return chance(0.6) ? "\"p" + below(9) + "\"" : word();
    }

    private String test() {
        return pick(List.of("contains", "starts_with", "ends_with"));
    }

    private String in() {
        return chance(0.3) ? " not in " : " in ";
    }

    private String integers() {
        return pick(List.of("[]", "[1]", "[0, 2]", "[1, null]", "$li", "[-1, 0, 1, 2]"));
    }

    private String words() {
        return pick(List.of("[]", "$ls", "[\"ann\", \"bob\"]", "[\"\", null]", "[$s, \"é\"]"));
    }

    String measured(List<Var> scope) {
        return any(
                () -> or(of(scope, "Person", "age"), "1"),
                () -> or(of(scope, "Person", "score"), "1.0"),
                () -> or(of(scope, "knows", "since"), "1"));
    }

    String sortable(List<Var> scope) {
        return any(
                () -> number(scope, 0),
                () -> text(scope, 0),
                () -> date(scope),
                () -> or(of(scope, "Person", "city"), "$c"),
                () -> or(of(scope, "Person", pick(List.of("seen", "born"))), "$d"),
                () -> or(of(scope, "Person", "active"), "$b"));
    }

    private String extreme(List<Var> scope) {
        return any(
                () -> number(scope, 0),
                () -> text(scope, 0),
                () -> date(scope),
                () -> moment(scope),
                () -> or(of(scope, "Person", "city"), "$c"));
    }

    private String where(List<Var> scope) {
        return chance(0.4) ? " where " + bool(scope, 1) : "";
    }

    /** A call of any function, with arguments of the types that it takes. */
    private String call(List<Var> scope) {
        // No expression here is a path.
        Function function = pick(Arrays.stream(Function.values())
                .filter(each ->
                        !List.of(Function.COST, Function.NODES, Function.EDGES).contains(each))
                .toList());
        List<String> arguments = new ArrayList<>();
        switch (function.signature()) {
            case Signature.Each each ->
                each.parameters().forEach(parameter -> arguments.add(argument(parameter, scope)));
            case Signature.Alike ignored -> arguments.addAll(List.of(integer(scope, 2), integer(scope, 2)));
        }
        return function.word() + "(" + String.join(", ", arguments) + ")";
    }

    private String argument(Parameter<?> parameter, List<Var> scope) {
        if (parameter.equals(Parameter.UNIT)) {
            return pick(List.of("\"year\"", "\"quarter\"", "\"month\"", "\"week\"", "\"day\""));
        }
        List<Family> families = new ArrayList<>(parameter.families());
        if (families.contains(Family.DATE)) {
            // A text that is no date is refused when it is written.
            families.remove(Family.TEXT);
        }
        if (parameter.equals(Parameter.DATE_STEP) || parameter.equals(Parameter.TIME_STEP)) {
            return pick(List.of("\"year\"", "\"quarter\"", "\"month\"", "\"week\"", "\"day\""));
        }
        if (parameter.equals(Parameter.PATTERN)) {
            return pick(List.of("\"yyyy-MM\"", "\"d\""));
        }
        families.remove(Family.PATH);
        families.sort(null);
        if (parameter.only() == Parameter.Only.WHOLE) {
            return integer(scope, 2);
        }
        return switch (pick(families)) {
            case NUMBER -> number(scope, 2);
            case TEXT -> text(scope, 2);
            case BOOL -> bool(scope, 2);
            case DATE -> date(scope);
            case DATETIME -> moment(scope);
            case LIST -> chance(0.3) ? forms.integers(scope, 1) : forms.texts(scope, 1);
            case NULL, ENTITY, VECTOR, BLOB, RECORD, PATH ->
                throw new IllegalStateException("no values of " + families);
        };
    }

    /** @param entities whether it may hold entities: those in lists and records have no order that the oracle knows */
    String value(List<Var> scope, boolean entities) {
        return any(
                () -> entities ? forms.value(scope) : forms.plain(scope),
                () -> entities ? forms.value(scope) : forms.plain(scope),
                () -> call(scope),
                () -> pick(scope).name(),
                () -> sortable(scope),
                () -> sortable(scope),
                () -> moment(scope),
                () -> bool(scope, 1),
                () -> or(of(scope, "Person", "tags"), "$ls"),
                () -> "[" + integer(scope, 2) + ", " + integer(scope, 2) + "]");
    }

    String aggregate(List<Var> scope) {
        String distinct = chance(0.3) ? "distinct " : "";
        return any(
                () -> "count(" + distinct + pick(scope).name() + ")",
                () -> "count(" + distinct + sortable(scope) + ")",
                () -> "sum(" + distinct + number(scope, 1) + ")",
                () -> "avg(" + distinct + integer(scope, 1) + ")",
                () -> "min(" + extreme(scope) + ")",
                () -> "max(" + distinct + extreme(scope) + ")",
                () -> "collect(" + distinct + sortable(scope) + ")",
                () -> "count(* where " + bool(scope, 1) + ")",
                () -> pick(List.of("sum", "max", "avg")) + "(" + distinct + integer(scope, 1) + where(scope) + ")",
                () -> "median(" + distinct + number(scope, 1) + where(scope) + ")",
                () -> "percentile(" + number(scope, 1) + ", " + pick(List.of("0", "0.25", "0.5", "0.875", "1"))
                        + where(scope) + ")",
                () -> "round(stdev(" + or(of(scope, "Person", "age"), "1") + where(scope) + ") * 1000.0)",
                () -> "collect(" + sortable(scope) + where(scope) + " order { " + sortable(scope)
                        + pick(List.of(" desc", "")) + ", " + sortable(scope) + " } limit " + below(4) + ")",
                () -> "count(" + pick(scope).name() + ") + 1",
                () -> "count(*)");
    }
}
