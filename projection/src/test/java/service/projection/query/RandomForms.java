package service.projection.query;

import java.util.List;
import java.util.Random;
import service.projection.query.RandomSource.Var;

/**
 * Random {@code case}, lists, records and loops as text. None begins with a bracket that would go on a clause before.
 */
final class RandomForms extends Dice {
    private final RandomExpressions all;
    private int loops;

    RandomForms(Random random, RandomExpressions all) {
        super(random);
        this.all = all;
    }

    String integer(List<Var> scope, int depth) {
        return any(
                () -> choice(scope, all.integer(scope, depth), all.integer(scope, depth)),
                () -> "(" + integers(scope, depth) + ")[" + place() + "]",
                () -> "length(" + texts(scope, depth) + ")",
                () -> "({a: " + all.integer(scope, depth) + ", b: " + all.text(scope, 2) + "}).a",
                () -> "length(" + integers(scope, depth) + ")");
    }

    String text(List<Var> scope, int depth) {
        return any(
                () -> choice(scope, all.text(scope, depth), all.text(scope, depth)),
                () -> "(" + all.text(scope, depth) + " || " + all.text(scope, depth) + ")",
                () -> "(" + texts(scope, depth) + ")[" + place() + "]",
                () -> "(" + persons(scope) + ")[" + place() + "]." + pick(List.of("@id", "name", "@type")),
                () -> "({a: " + all.text(scope, depth) + "}).a");
    }

    private String choice(List<Var> scope, String first, String second) {
        String condition = any(() -> all.bool(scope, 2), () -> all.integer(scope, 2) + " > " + below(3), () -> "null");
        return any(
                () -> "case when " + condition + " then " + first + " else " + second + " end",
                () -> "case when " + condition + " then " + first + " end",
                () -> "case when " + condition + " then null when " + all.bool(scope, 2) + " then " + first + " else "
                        + second + " end");
    }

    private String place() {
        return pick(List.of("0", "-1", "1", "$i", "$ni", "-2", "5"));
    }

    private String slice() {
        return pick(List.of("[1..]", "[..2]", "[0..1]", "[$i..$k]", "[-3..9]", "[..]"));
    }

    String texts(List<Var> scope, int depth) {
        String tags = all.or(all.of(scope, "Person", "tags"), "$ls");
        if (depth > 2) {
            return tags;
        }
        return any(
                () -> tags,
                () -> "[" + all.text(scope, 2) + ", " + all.text(scope, 2) + "]",
                () -> "[" + all.text(scope, 2) + ", null]",
                () -> "(" + texts(scope, depth + 1) + " || " + texts(scope, depth + 1) + ")",
                () -> "(" + texts(scope, depth + 1) + ")" + slice(),
                () -> pick(List.of("sort", "unique", "reverse")) + "(" + texts(scope, depth + 1) + ")",
                () -> "split(" + all.text(scope, 2) + ", \"n\")",
                () -> loop("", texts(scope, depth + 1), each -> each + " != " + all.text(scope, 2), null),
                () -> loop(
                        "",
                        integers(scope, depth + 1),
                        each -> each + " > " + all.integer(scope, 2),
                        each -> "to_string(" + each + ") || " + all.text(scope, 2)));
    }

    String integers(List<Var> scope, int depth) {
        if (depth > 2) {
            return "$li";
        }
        return any(
                () -> "$li",
                () -> "[" + all.integer(scope, 2) + ", " + all.integer(scope, 2) + "]",
                () -> "range(" + below(3) + ", " + below(5) + ")",
                () -> "range($i, " + all.or(all.of(scope, "Person", "age"), "3") + ")",
                () -> "range(3, 0, " + pick(List.of("-1", "-2", "0", "1")) + ")",
                () -> pick(List.of("sort", "unique", "reverse")) + "(" + integers(scope, depth + 1) + ")",
                () -> "(" + integers(scope, depth + 1) + ")" + slice(),
                () -> loop("", integers(scope, depth + 1), each -> each + " != " + below(3), each -> each + " + $i"),
                () -> loop(
                        "",
                        texts(scope, depth + 1),
                        null,
                        each -> "case when " + each + " = " + all.text(scope, 2) + " then 1 else length(" + each
                                + ") end"));
    }

    private interface Body {
        String of(String each);
    }

    private String loop(String word, String list, Body where, Body map) {
        String each = "$e" + loops++;
        String inner = each + " in " + list + (where == null ? "" : " where " + where.of(each));
        return word.isEmpty()
                ? "([" + inner + (map == null ? "" : " | " + map.of(each)) + "])"
                : word + "(" + inner + ")";
    }

    /** Nodes of any type with a name. */
    private String persons(List<Var> scope) {
        List<String> nodes =
                scope.stream().filter(var -> !var.isEdge()).map(Var::name).toList();
        return nodes.isEmpty()
                ? "[{name: \"none\"}]"
                : "[" + pick(nodes) + ", " + (chance(0.3) ? "null" : pick(nodes)) + "]";
    }

    String bool(List<Var> scope, int depth) {
        return any(
                () -> loop(
                        pick(List.of("any", "all", "none")),
                        integers(scope, depth),
                        each -> each + " " + pick(RandomSource.COMPARISONS) + " " + all.integer(scope, 2),
                        null),
                () -> loop(
                        pick(List.of("any", "all", "none")),
                        texts(scope, depth),
                        each -> each + " = " + all.text(scope, 2) + " or " + all.bool(scope, 2),
                        null),
                () -> loop(
                        pick(List.of("any", "all", "none")),
                        persons(scope),
                        each -> each + ".name = " + all.text(scope, 2),
                        null),
                () -> texts(scope, depth) + pick(List.of(" = ", " != ")) + texts(scope, depth),
                () -> "(" + integers(scope, depth) + ") = " + integers(scope, depth),
                () -> "({a: " + all.integer(scope, 2) + ", b: " + all.text(scope, 2) + "}) = {a: "
                        + all.integer(scope, 2) + ", b: " + all.text(scope, 2) + "}",
                () -> all.text(scope, 2) + " in " + texts(scope, depth),
                () -> all.integer(scope, 2) + " in " + integers(scope, depth),
                () -> all.text(scope, 2) + " in (" + loop("", texts(scope, depth), null, each -> each + " || $s") + ")",
                () -> choice(scope, all.bool(scope, 2), all.bool(scope, 2)));
    }

    String value(List<Var> scope) {
        return any(
                () -> "{who: " + pick(scope).name() + ", n: " + all.integer(scope, 2) + ", list: " + texts(scope, 1)
                        + "}",
                () -> "case when " + all.bool(scope, 1) + " then " + pick(scope).name() + " end",
                () -> persons(scope),
                () -> loop(
                        "",
                        integers(scope, 1),
                        null,
                        each -> "{n: " + each + ", of: " + pick(scope).name() + "}"),
                () -> plain(scope));
    }

    /** A value without entities. */
    String plain(List<Var> scope) {
        return any(
                () -> "{a: " + all.text(scope, 1) + ", n: {b: " + all.integer(scope, 2) + ", c: null}}",
                () -> "[{a: " + all.integer(scope, 2) + "}, {a: " + all.real(scope) + "}]",
                () -> texts(scope, 0),
                () -> integers(scope, 0),
                () -> "case when " + all.bool(scope, 1) + " then 1 else " + all.real(scope) + " end",
                () -> loop("", texts(scope, 1), null, each -> "{n: " + each + "}"));
    }
}
