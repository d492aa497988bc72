package service.projection.query;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Random reads as text, drawn from the whole grammar of {@code match}, {@code return}, {@code order}, {@code skip} and
 * {@code limit} over {@link QuerySchema}. Nearly all of them compile; the compiler reports the others.
 */
final class RandomSource extends Dice {
    /** A variable in scope; types by their names in the schema, alternatives joined by |. */
    record Var(String name, String type) {
        boolean isEdge() {
            return Character.isLowerCase(type.charAt(0));
        }

        boolean isPerson() {
            return type.equals("Person");
        }
    }

    private static final String PARAMETERS = "$i: I64 = 1, $f: F64 = 0.5, $s: String = \"ann\", $li: [I64] = [0, 2],"
            + " $ls: [String] = [\"bo\", \"ann\"], $ni: I64?, $ns: String?,"
            + " $c: enum(oslo, rome, bonn) = \"rome\", $k: I64 = 2, $b: Bool = true,"
            + " $u: U64 = 1, $d: Date = date(\"1970-01-02\")";
    static final List<String> COMPARISONS = List.of("=", "!=", "<", "<=", ">", ">=");

    private final RandomExpressions expressions;
    private int names;
    private boolean optionals;

    /** The paths that are visible. */
    private final List<String> paths = new ArrayList<>();

    /** Whether what is made now is not seen outside. */
    private boolean blocked;

    RandomSource(Random random) {
        super(random);
        this.expressions = new RandomExpressions(random);
        expressions.blocks = inside -> {
            boolean before = blocked;
            blocked = true;
            String body = "{" + clauses(inside, 1, 2) + givens(inside) + " }";
            blocked = before;
            return body;
        };
    }

    String query() {
        names = 0;
        if (chance(0.06)) {
            return "query q(" + PARAMETERS + ") { " + union() + " }";
        }
        if (chance(0.01)) {
            return "query q(" + PARAMETERS + ") { " + wholeCounts() + " }";
        }
        List<Var> scope = new ArrayList<>();
        String stages = stages(scope);
        return "query q(" + PARAMETERS + ") { " + stages + returned(scope) + " }";
    }

    /** Counts of all entities of a type, which the other queries ask for once in a thousand. */
    private String wholeCounts() {
        return "match { $v: " + pick(List.of("Person", "Company", "Named")) + " } return { count($v) as c0"
                + (chance(0.5) ? ", count($v) as c1" : "") + " }";
    }

    /** Two to four reads with columns of the same kinds, and what speaks of the whole. */
    private String union() {
        List<String> kinds = new ArrayList<>();
        for (int i = 1 + below(3); i > 0; i--) {
            kinds.add(pick(List.of("number", "int", "text", "date", "node")));
        }
        StringBuilder text = new StringBuilder();
        for (int part = 2 + below(3); part > 0; part--) {
            List<Var> scope = new ArrayList<>();
            text.append(stages(scope)).append(chance(0.1) ? " return distinct { " : " return { ");
            boolean grouped = chance(0.2);
            for (int i = 0; i < kinds.size(); i++) {
                text.append(column(kinds.get(i), scope, grouped))
                        .append(" as c")
                        .append(i)
                        .append(", ");
            }
            text.setLength(text.length() - 2);
            text.append(" }").append(chance(0.1) ? " where c0 is not null " : "");
            text.append(part == 1 ? "" : pick(List.of(" union ", " union all ", " union all ")));
        }
        List<Integer> sortable = new ArrayList<>();
        for (int i = 0; i < kinds.size(); i++) {
            if (!kinds.get(i).equals("node")) {
                sortable.add(i);
            }
        }
        if (!sortable.isEmpty() && chance(0.6)) {
            text.append(" order { c" + pick(sortable) + pick(List.of("", " desc")) + " }");
        }
        text.append(chance(0.2) ? " skip " + below(3) : "").append(chance(0.3) ? " limit " + below(6) : "");
        return text.toString();
    }

    private String column(String kind, List<Var> scope, boolean grouped) {
        List<Var> nodes = scope.stream().filter(v -> !v.isEdge()).toList();
        return switch (kind) {
            case "number" -> expressions.number(scope, 1);
            case "node" -> nodes.isEmpty() ? "null" : pick(nodes).name;
            default -> chance(0.05) ? "null" : valueOf(kind, scope, grouped && !scope.isEmpty());
        };
    }

    /** @param scope receives the variables that the last stage sees */
    private String stages(List<Var> scope) {
        expressions.values.clear();
        paths.clear();
        StringBuilder stages = new StringBuilder(
                chance(0.02)
                        ? "match { optional {" + clauses(scope, 1, 2) + " } }"
                        : "match {" + clauses(scope, 1 + below(3), 0) + givens(scope) + " }");
        for (int more = chance(0.3) ? 1 + below(2) : 0; more > 0; more--) {
            stages.append(with(scope));
            if (scope.isEmpty() || chance(0.7)) {
                stages.append(" match {")
                        .append(clauses(scope, scope.isEmpty() ? 1 : 1 + below(2), 0))
                        .append(givens(scope))
                        .append(" }");
            }
        }
        return stages.toString();
    }

    /** @param scope variables in scope; becomes those that the stage leaves */
    private String with(List<Var> scope) {
        List<String> items = new ArrayList<>();
        List<Var> left = new ArrayList<>();
        List<Var> values = new ArrayList<>();
        for (Var var : scope) {
            if (chance(0.5)) {
                boolean renamed = chance(0.2);
                Var kept = renamed ? new Var(fresh("r"), var.type) : var;
                left.add(kept);
                items.add(renamed ? var.name + " as " + kept.name : var.name);
            }
        }
        boolean grouped = chance(0.5);
        for (int i = below(3) + (items.isEmpty() ? 1 : 0); i > 0; i--) {
            String kind = grouped && chance(0.3) ? "list" : pick(List.of("int", "int", "text", "date"));
            Var value = new Var(fresh("n"), kind);
            values.add(value);
            items.add(valueOf(kind, scope, grouped) + " as " + value.name);
        }
        String ofRows = scope.isEmpty() || chance(0.9)
                ? ""
                : pick(List.of("count(" + pick(scope).name + ")", "sum(" + expressions.integer(scope, 1) + ")"));
        paths.removeIf(path -> chance(0.4));
        items.addAll(paths);
        Collections.shuffle(items, random);
        scope.clear();
        scope.addAll(left);
        expressions.values.clear();
        expressions.values.addAll(values);
        paths.forEach(this::addPath);
        StringBuilder text = new StringBuilder(" with ");
        text.append(ofRows.isEmpty() && chance(0.15) ? "distinct { " : "{ ");
        text.append(String.join(chance(0.5) ? ", " : "\n", items)).append(" }");
        if (chance(0.3)) {
            text.append(" where ").append(expressions.bool(scope, 0));
        }
        if (!ofRows.isEmpty() || chance(0.25)) {
            // Without an order any rows may be kept.
            String key = !ofRows.isEmpty()
                    ? ofRows
                    : scope.isEmpty() || chance(0.3) ? expressions.integer(scope, 1) : expressions.sortable(scope);
            text.append(" order { ")
                    .append(key)
                    .append(pick(List.of("", " desc")))
                    .append(" }");
            text.append(chance(0.3) ? " skip " + below(3) : "")
                    .append(" limit ")
                    .append(1 + below(5));
            text.append(chance(0.3) ? " per { " + expressions.integer(scope, 1) + " }" : "");
        }
        return text.toString();
    }

    /** Sometimes variables of {@code let} and {@code for}, and clauses that may depend on them. */
    private String givens(List<Var> scope) {
        if (!chance(0.2)) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        for (int i = 1 + below(2); i > 0; i--) {
            String name = fresh("g");
            List<Var> persons = scope.stream().filter(Var::isPerson).toList();
            if (!persons.isEmpty() && chance(0.3)) {
                String person = pick(persons).name;
                text.append(any(
                        () -> " for " + name + " in [" + person + ", " + pick(persons).name + "]",
                        () -> " let " + name + " = case when " + expressions.bool(scope, 2) + " then " + person
                                + " end",
                        () -> " for " + name + " in [" + person + ", null]"));
                scope.add(new Var(name, "Person"));
            } else {
                String kind = pick(List.of("int", "text"));
                text.append(chance(0.5) ? " for " + name + " in " : " let " + name + " = ");
                boolean each = text.toString().endsWith(" in ");
                text.append(
                        kind.equals("int")
                                ? each ? expressions.forms.integers(scope, 1) : expressions.integer(scope, 1)
                                : each ? expressions.forms.texts(scope, 1) : expressions.text(scope, 1));
                expressions.values.add(new Var(name, kind));
            }
        }
        if (chance(0.6)) {
            text.append(" ").append(filter(scope));
        }
        if (chance(0.5)) {
            text.append(clauses(scope, 1, 2));
        }
        return text.toString();
    }

    private String valueOf(String kind, List<Var> scope, boolean grouped) {
        return switch (kind) {
            case "int" ->
                grouped
                        ? any(
                                () -> "count(*)",
                                () -> "count(distinct " + pick(scope).name + ")",
                                () -> "sum(" + expressions.integer(scope, 1) + ")",
                                () -> expressions.integer(scope, 1))
                        : expressions.integer(scope, 0);
            case "text" ->
                grouped && chance(0.5) ? "min(" + expressions.text(scope, 1) + ")" : expressions.text(scope, 0);
            case "date" -> grouped && chance(0.5) ? "max(" + expressions.date(scope) + ")" : expressions.date(scope);
            default -> "collect(" + expressions.text(scope, 1) + ")";
        };
    }

    private String fresh(String letter) {
        return "$" + letter + names++;
    }

    /** @param scope variables in scope; variables that stay in scope are added */
    private String clauses(List<Var> scope, int patterns, int depth) {
        List<String> clauses = new ArrayList<>();
        int count = patterns + (scope.isEmpty() && patterns == 0 ? 1 : 0);
        for (int i = 0; i < count; i++) {
            List<Var> nodes = scope.stream().filter(v -> !v.isEdge()).toList();
            clauses.add(nodes.isEmpty() || chance(0.25) ? binding(scope) : traversal(scope, pick(nodes), nodes));
        }
        List<String> later = new ArrayList<>();
        while (depth < 2 && chance(0.2)) {
            optionals = true;
            clauses.add(" optional {" + clauses(scope, 1, 2) + (chance(0.3) ? givens(scope) : "") + " }");
        }
        for (int i = below(3); i > 0; i--) {
            later.add(" " + filter(scope));
        }
        while (depth < 2 && chance(0.25)) {
            later.add(block(scope, depth + 1));
        }
        if (chance(0.5)) {
            // Clauses may be in any order, but the kind of a name must be declared.
            clauses.addAll(later);
        } else {
            clauses.addAll(later);
            Collections.rotate(clauses, optionals ? 0 : below(1 + clauses.size()));
        }
        return String.join(chance(0.1) ? "," : "", clauses);
    }

    private String filter(List<Var> scope) {
        List<Var> edges = scope.stream().filter(Var::isEdge).toList();
        if (!edges.isEmpty() && chance(0.15)) {
            String end = pick(List.of(".@src = ", ".@dst = "));
            return pick(edges).name + end + pick(List.of("\"p0\"", "\"p7\"", "\"ann\"", "$s"));
        }
        String filter = chance(0.3) && scope.size() > 1 ? expressions.joining(scope) : expressions.bool(scope, 0);
        // After another clause a minus would be parsed as a subtraction.
        return filter.startsWith("-") || filter.startsWith("[") ? "(" + filter + ")" : filter;
    }

    private String binding(List<Var> scope) {
        List<Var> nodes = scope.stream().filter(v -> !v.isEdge()).toList();
        if (!nodes.isEmpty() && chance(0.15)) {
            Var known = pick(nodes);
            return " " + known.name + ": " + known.type + equalities(known.type);
        }
        String type = chance(0.65) ? "Person" : chance(0.5) ? "Company" : "Named";
        Var var = new Var(fresh("v"), type);
        scope.add(var);
        return " " + var.name + ": " + type + equalities(type);
    }

    private String equalities(String type) {
        if (chance(0.7)) {
            return "";
        }
        if (!type.equals("Person")) {
            return " { name: " + expressions.word() + " }";
        }
        return any(
                () -> " { name: " + expressions.word() + " }",
                () -> " { age: " + below(3) + ", city: " + expressions.city() + " }",
                () -> " { city: $c, }",
                () -> " { age: $i }",
                () -> " { active: " + chance(0.5) + " }");
    }

    private String traversal(List<Var> scope, Var near, List<Var> nodes) {
        if (chance(near.isPerson() ? 0.15 : 0.4)) {
            return citation(scope, near, nodes);
        }
        if (near.type.equals("Named") || chance(0.12)) {
            return wildcard(scope, near);
        }
        if (!near.isPerson()) {
            Var person = new Var(fresh("v"), "Person");
            scope.add(person);
            return " " + person.name + edge(scope, "worksAt") + near.name;
        }
        if (chance(0.25)) {
            Var company = new Var(chance(0.2) ? "$_" : fresh("v"), "Company");
            add(company, scope);
            return declared(company) + " " + near.name + edge(scope, "worksAt") + company.name;
        }
        String edge = edge(scope, null);
        List<Var> persons = nodes.stream().filter(Var::isPerson).toList();
        if (chance(0.2)) {
            return " " + near.name + edge + pick(persons).name;
        }
        Var far = new Var(chance(0.15) ? "$_" : fresh("v"), "Person");
        add(far, scope);
        return declared(far) + " " + (chance(0.5) ? near.name + edge + far.name : far.name + edge + near.name);
    }

    /** Follows edges whose ends have several types, to a declared type or to any. */
    private String citation(List<Var> scope, Var near, List<Var> nodes) {
        String edge = edge(scope, pick(List.of("cites", "cites", "<cites>")));
        if (chance(0.15)) {
            return " " + near.name + edge + pick(nodes).name;
        }
        Var far = new Var(chance(0.1) ? "$_" : fresh("v"), pick(List.of("Named", "Named", "Person", "Company")));
        add(far, scope);
        String binding = (far.type.equals("Named") && chance(0.5)) || far.name.equals("$_")
                ? ""
                : " " + far.name + ": " + far.type;
        return binding + " " + (chance(0.5) ? near.name + edge + far.name : far.name + edge + near.name);
    }

    private void add(Var var, List<Var> scope) {
        if (!var.name.equals("$_")) {
            scope.add(var);
        }
    }

    /** Sometimes the far end is declared, though it need not be. */
    private String declared(Var var) {
        return var.name.equals("$_") || chance(0.7) ? "" : " " + var.name + ": " + var.type + equalities(var.type);
    }

    private String wildcard(List<Var> scope, Var near) {
        boolean fromFar = near.type.equals("Company");
        Var far = new Var(fresh("v"), !fromFar && chance(0.5) ? "Named" : "Person");
        scope.add(far);
        String edges = near.isPerson() && far.isPerson() && chance(0.4) ? "<*>" : "*";
        String hops = chance(0.3) ? hops() : "";
        String bound = "";
        if (hops.isEmpty() && chance(0.3)) {
            Var edge = new Var(fresh("w"), "any");
            scope.add(edge);
            bound = edge.name + ":";
        }
        String left = fromFar ? far.name : near.name;
        String right = fromFar ? near.name : far.name;
        return " " + far.name + ": " + far.type + " " + left + " " + bound + edges + hops + " " + right;
    }

    private String hops() {
        int min = chance(0.15) ? 0 : 1 + below(2);
        return "{" + min + "," + (chance(0.2) ? "*" : min + below(4)) + "}";
    }

    /** Edges with a mode, a variable for the path, or a rule of steps. */
    private String path(List<Var> scope, String edges) {
        String mode = pick(List.of("", "shortest ", "all shortest ", "trail ", "acyclic ", "cheapest "));
        boolean isWalk = mode.equals("trail ") || mode.equals("acyclic ");
        int min = isWalk ? below(3) : below(4) == 0 ? 0 : 1;
        String max = isWalk ? String.valueOf(min + below(3)) : chance(0.3) ? "*" : String.valueOf(min + below(5));
        boolean named = chance(0.6);
        String path = named ? fresh("p") : "";
        if (named && !blocked) {
            paths.add(path);
            addPath(path);
        }
        return " " + (named ? path + ":" : "") + mode + edges + "{" + min + "," + max + rule(scope, edges) + "} ";
    }

    /** Makes what is asked of a path a value. */
    private void addPath(String path) {
        expressions.values.add(new Var("length(" + path + ")", "int"));
        expressions.values.add(new Var("to_int(cost(" + path + ") * 4)", "int"));
        if (chance(0.3)) {
            expressions.values.add(new Var("length(nodes(" + path + "))", "int"));
        }
    }

    private String rule(List<Var> scope, String edges) {
        if (chance(0.4)) {
            return "";
        }
        String x = fresh("x");
        String e = fresh("x");
        String y = fresh("x");
        boolean since = edges.matches("<?knows>?");
        List<String> conditions = new ArrayList<>(List.of(
                x + ".active",
                x + ".age <= " + y + ".age",
                y + ".name is not null",
                e + ".@src != \"p7\"",
                y + ".age < 2 and " + x + ".@id != \"p0\"",
                e + ".@type = \"Knows\""));
        scope.stream()
                .filter(var -> !optionals && var.isPerson())
                .forEach(var -> conditions.add(y + ".age >= " + var.name + ".age"));
        List<String> costs = new ArrayList<>(List.of("1", "abs(" + y + ".age)", x + ".ratio", "0"));
        if (since) {
            conditions.add(e + ".since > 0");
            costs.addAll(List.of(e + ".since", e + ".since * 0.5 + 0.25", e + ".since"));
        }
        conditions.add("exists { " + y + " likes $_ }");
        conditions.add("count { " + x + " <knows> " + fresh("m") + " } > " + below(4));
        conditions.add("not exists { " + y + " knows " + x + " } or " + y + ".active");
        costs.add("count { " + y + " knows " + fresh("m") + " }");
        costs.add("2.0 * count { " + x + " likes $_ } + count { " + y + " <knows> $_ }");
        costs.add("coalesce(sum(" + y + ".age) { " + y + " likes $_ }, 1) * 0 + 2");
        String where = chance(0.6) ? " where " + pick(conditions) : "";
        String by = where.isEmpty() || chance(0.6) ? " by " + pick(costs) : "";
        return " | " + x + " " + e + " " + y + where + by;
    }

    private String edge(List<Var> scope, String only) {
        String edges = only != null
                ? only
                : pick(List.of("knows", "knows", "likes", "<knows>", "<likes>", "(knows | likes)", "<knows | likes>"));
        if (chance(0.25)) {
            // The rules of steps ask for properties of persons.
            return only != null || chance(0.4) ? " " + edges + hops() + " " : path(scope, edges);
        }
        if (chance(0.3)) {
            Var var = new Var(fresh("w"), edges.contains("|") ? "any" : edges.replaceAll("[<>]", ""));
            scope.add(var);
            return " " + var.name + ":" + edges + " ";
        }
        return " " + edges + " ";
    }

    private String block(List<Var> scope, int depth) {
        List<Var> inside = new ArrayList<>(scope);
        boolean before = blocked;
        blocked = true;
        int outside = expressions.values.size();
        String body = "{" + clauses(inside, below(2) + (scope.isEmpty() ? 1 : 0), depth) + givens(inside) + " }";
        blocked = before;
        if (body.equals("{ }")) {
            body = "{ " + expressions.bool(inside, 1) + " }";
        }
        String block = body;
        String measured = expressions.measured(inside);
        expressions.values.subList(outside, expressions.values.size()).clear();
        String bound = " " + pick(COMPARISONS) + " " + (chance(0.3) ? expressions.integer(scope, 2) : below(3));
        return " "
                + any(
                        () -> "exists " + block,
                        () -> "not " + block,
                        () -> "count " + block + bound,
                        () -> pick(List.of("sum", "min", "max", "avg")) + "(" + measured + ") " + block + bound);
    }

    private String returned(List<Var> scope) {
        boolean grouped = chance(0.35);
        boolean distinct = !grouped && chance(0.2);
        List<String> columns = new ArrayList<>();
        List<String> sortable = new ArrayList<>();
        int count = 1 + below(3);
        for (int i = 0; i < count; i++) {
            boolean aggregate = grouped && (i == 0 || chance(0.5));
            boolean isPath = !paths.isEmpty() && chance(0.3);
            boolean simple = !isPath && chance(0.6);
            String path = isPath ? pick(paths) : "";
            String whole = any(() -> path, () -> "nodes(" + path + ")", () -> "edges(" + path + ")[0]");
            String expression = isPath
                    ? aggregate ? "count(distinct " + path + ")" : whole
                    : aggregate
                            ? expressions.aggregate(scope)
                            : simple ? expressions.sortable(scope) : expressions.value(scope, !grouped && !distinct);
            columns.add(expression + " as c" + i);
            if (simple && !expression.startsWith("collect")) {
                sortable.add("c" + i);
            }
        }
        StringBuilder text = new StringBuilder(" return ");
        text.append(distinct ? "distinct { " : "{ ");
        text.append(String.join(chance(0.5) ? ", " : "\n", columns)).append(" }");
        if (chance(0.15)) {
            text.append(" where ")
                    .append(
                            grouped || distinct
                                    ? "c0 is not null" + (grouped ? " and count(*) > " + below(3) : "")
                                    : expressions.bool(scope, 0));
        }
        // Paths that tie are sorted by what storage knows them by.
        boolean ofPaths = columns.stream().anyMatch(column -> paths.stream().anyMatch(column::contains));
        if (!ofPaths && chance(0.7) && !sortable.isEmpty()) {
            List<String> keys = new ArrayList<>();
            for (int i = 1 + below(2); i > 0; i--) {
                boolean free = !grouped && !distinct && chance(0.6);
                String key = grouped && chance(0.2)
                        ? "count(" + pick(scope).name + ")"
                        : free ? expressions.sortable(scope) : pick(sortable);
                keys.add(key + pick(List.of("", " asc", " desc")));
            }
            text.append(" order { ").append(String.join(", ", keys)).append(" }");
        }
        if (chance(0.2)) {
            text.append(" skip ").append(chance(0.3) ? "$k" : below(4));
        }
        if (chance(0.3)) {
            text.append(" limit ").append(chance(0.3) ? "$k" : below(6));
            if (chance(0.3)) {
                text.append(" per { ")
                        .append(grouped || distinct ? "c0" : expressions.sortable(scope))
                        .append(" }");
            }
        }
        return text.toString();
    }
}
