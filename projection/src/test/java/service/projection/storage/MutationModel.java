package service.projection.storage;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes a random mutation script and runs it, statement by statement, on a graph that is a list of maps:
 * {@code docs/gq-grammar.md} and {@code docs/writes.md}, without regard to speed.
 */
final class MutationModel {
    static final String SCHEMA = """
            node Person {
              name: String @key
              age: I64?
              email: String? @unique
              level: I32 @default(1)
              mood: enum(calm, angry)?
              code: String?
              @range(age, 0..100)
              @check(code, "[a-z]{1,3}")
            }
            node Note { text: String  stars: I64? }
            edge Knows: Person -> Person { since: I64?  weight: F64? }
            edge Wrote: Person -> Note @card(0..2) { draft: Bool? }
            """;

    static final String VALUE = "400 value_constraint_violation";
    static final String ORPHAN = "400 orphan_edge";
    static final String UNIQUE = "409 unique_violation";
    static final String CARDINALITY = "409 cardinality_violation";
    static final String TWO_VALUES = "400 R5";

    /** An entity: its type and id, the ends of an edge, and its properties without nulls. */
    static final class Entity {
        final String type;
        final String id;
        final String from;
        final String to;
        final Map<String, Object> properties;

        Entity(String type, String id, String from, String to, Map<String, Object> properties) {
            this.type = type;
            this.id = id;
            this.from = from;
            this.to = to;
            this.properties = new TreeMap<>(properties);
        }

        Entity copy() {
            return new Entity(type, id, from, to, properties);
        }

        boolean isEdge() {
            return from != null;
        }

        Object get(String name) {
            return switch (name) {
                case "@id" -> id;
                case "@src" -> from;
                case "@dst" -> to;
                default -> properties.get(name);
            };
        }

        void set(String name, Object value) {
            if (value == null) {
                properties.remove(name);
            } else {
                properties.put(name, value);
            }
        }

        String line(Map<String, String> texts) {
            return type + (isEdge() ? " " + from + " " + texts.getOrDefault(to, to) : "") + " " + properties;
        }
    }

    /** A graph. */
    record State(List<Entity> entities) {
        static State of(List<JsonNode> exported) {
            List<Entity> entities = new ArrayList<>();
            for (JsonNode line : exported) {
                Map<String, Object> properties = new TreeMap<>();
                line.get("data").properties().forEach(p -> properties.put(p.getKey(), plain(p.getValue())));
                String id = (String) properties.remove("id");
                boolean edge = line.has("edge");
                entities.add(new Entity(
                        line.get(edge ? "edge" : "type").textValue(),
                        id,
                        edge ? line.get("from").textValue() : null,
                        edge ? line.get("to").textValue() : null,
                        properties));
            }
            return new State(entities);
        }

        private static Object plain(JsonNode node) {
            return node.isTextual()
                    ? node.textValue()
                    : node.isBoolean()
                            ? (Object) node.booleanValue()
                            : node.isIntegralNumber() ? (Object) node.longValue() : node.doubleValue();
        }

        List<String> lines() {
            Map<String, String> texts = new HashMap<>();
            entities.stream()
                    .filter(e -> e.type.equals("Note"))
                    .forEach(e -> texts.put(e.id, String.valueOf(e.get("text"))));
            return entities.stream().map(e -> e.line(texts)).sorted().toList();
        }

        @Override
        public String toString() {
            return entities.stream().map(e -> e.id + "=" + e.line(Map.of())).collect(Collectors.joining("; "));
        }
    }

    static List<String> lines(List<JsonNode> exported) {
        return State.of(exported).lines();
    }

    private final Random random;
    private final State before;
    private final List<Entity> now = new ArrayList<>();
    private final Set<String> violations = new TreeSet<>();
    private int made;

    /** The types of the variables that statements can name. */
    private final Map<String, String> variables = new TreeMap<>();

    /** What they are bound to, in each row; null for nothing. */
    private List<Map<String, Entity>> rows = List.of(Map.of());

    /** The variables that the match binds. */
    private Set<String> matched = Set.of();

    private List<String> answered;
    private boolean looping;

    /** What stands before a property in a condition. */
    private String owner = "";

    MutationModel(Random random, State before) {
        this.random = random;
        this.before = before;
        before.entities.forEach(entity -> now.add(entity.copy()));
    }

    private int below(int n) {
        return random.nextInt(n);
    }

    private boolean chance(double p) {
        return random.nextDouble() < p;
    }

    private <T> T pick(List<T> items) {
        return items.get(below(items.size()));
    }

    /** Makes a whole query and runs it on the model. */
    String script() {
        double deletes = chance(0.7) ? 0 : chance(0.5) ? 1 : 0.4;
        StringBuilder text = new StringBuilder("query m() {");
        boolean matched = chance(0.5);
        if (matched) {
            text.append(' ').append(match());
            this.matched = Set.copyOf(variables.keySet());
        }
        for (int i = 1 + below(4); i > 0; i--) {
            boolean bound = matched ? chance(0.8) : chance(0.15);
            text.append(' ').append(bound ? bound(deletes) : plain(deletes, matched));
        }
        if (!variables.isEmpty() && chance(0.3)) {
            text.append(' ').append(answer());
        }
        check();
        return text.append(" }").toString();
    }

    /** What the query returns: the values of its column, or null where it returns nothing. */
    List<String> answered() {
        return answered;
    }

    private String answer() {
        String of = pick(List.copyOf(variables.keySet()));
        String property = switch (variables.get(of)) {
            case "Person" -> pick(List.of("name", "age", "level"));
            case "Note" -> "text";
            case "Knows" -> "since";
            default -> "draft";
        };
        Stream<Entity> bound = rows.stream().map(row -> get(row, of));
        if (chance(0.3)) {
            answered = List.of(String.valueOf(bound.filter(Objects::nonNull).count()));
            return "return { count($" + of + ") as p }";
        }
        answered = bound.map(entity -> String.valueOf(entity == null ? null : entity.get(property)))
                .sorted()
                .toList();
        return "return { $" + of + "." + property + " as p }";
    }

    /** A statement that runs once and names no variable. */
    private String plain(double deletes, boolean matched) {
        if (chance(deletes)) {
            return delete();
        }
        return matched ? update(pick(List.of("Person", "Note", "Knows", "Wrote"))) : change();
    }

    /** The violated constraints; empty when there are none. */
    Set<String> violations() {
        return violations;
    }

    List<String> lines() {
        return new State(now).lines();
    }

    /** The number of entities that were changed, inserted or deleted. */
    long affected(boolean edges) {
        Map<String, Entity> old = new HashMap<>();
        before.entities.forEach(e -> old.put(e.type + " " + e.id, e));
        long changed = 0;
        for (Entity entity : now) {
            Entity then = old.remove(entity.type + " " + entity.id);
            boolean same = then != null && then.properties.equals(entity.properties);
            changed += !same && entity.isEdge() == edges ? 1 : 0;
        }
        return changed + old.values().stream().filter(e -> e.isEdge() == edges).count();
    }

    private void check() {
        Set<Object> emails = new HashSet<>();
        Map<String, Integer> written = new HashMap<>();
        for (Entity entity : now) {
            if (entity.get("age") instanceof Long age && (age < 0 || age > 100)) {
                violations.add(VALUE);
            }
            if (entity.get("code") instanceof String code && !code.matches("[a-z]{1,3}")) {
                violations.add(VALUE);
            }
            if (entity.get("email") != null && !emails.add(entity.get("email"))) {
                violations.add(UNIQUE);
            }
            if (entity.type.equals("Wrote") && written.merge(entity.from, 1, Integer::sum) > 2) {
                violations.add(CARDINALITY);
            }
        }
    }

    private String name() {
        return "p" + below(7);
    }

    private static String quoted(Object value) {
        return value instanceof String text ? '"' + text + '"' : String.valueOf(value);
    }

    private List<Entity> of(String type) {
        return now.stream().filter(e -> e.type.equals(type)).toList();
    }

    private String change() {
        return switch (below(8)) {
            case 0, 1 -> person();
            case 2 -> note();
            case 3 -> knows();
            case 4 -> wrote();
            case 5 -> update("Knows");
            case 6 -> update(chance(0.5) ? "Wrote" : "Note");
            default -> update("Person");
        };
    }

    private String person() {
        String name = name();
        Map<String, Object> given = new TreeMap<>();
        given.put("name", name);
        for (String property : List.of("age", "email", "level", "mood", "code")) {
            if (chance(0.35)) {
                given.put(property, value(property));
            }
        }
        Entity person =
                of("Person").stream().filter(e -> e.id.equals(name)).findFirst().orElse(null);
        if (person == null) {
            person = new Entity("Person", name, null, null, Map.of("level", 1L));
            now.add(person);
        }
        given.forEach(person::set);
        return "insert Person " + assignments(given);
    }

    private Object value(String property) {
        return switch (property) {
            case "age" -> (Object) (long) (chance(0.06) ? 101 + below(3) : below(5));
            case "email" -> "e" + below(40);
            case "level" -> (long) below(3);
            case "mood" -> chance(0.5) ? "calm" : "angry";
            case "code" -> chance(0.06) ? "A1" : pick(List.of("a", "ab", "xyz"));
            case "since", "stars" -> (long) below(4);
            case "weight" -> below(4) * 0.5 + 0.25;
            case "draft" -> chance(0.5);
            default -> throw new IllegalArgumentException(property);
        };
    }

    private String assignments(Map<String, Object> given) {
        return given.entrySet().stream()
                .map(e -> e.getKey() + ": " + quoted(e.getValue()))
                .collect(Collectors.joining(chance(0.5) ? ", " : " ", "{ ", " }"));
    }

    private String note() {
        Map<String, Object> given = new TreeMap<>();
        given.put("text", "t" + before.entities.size() + "-" + random.nextInt(1 << 20));
        if (chance(0.5)) {
            given.put("stars", value("stars"));
        }
        now.add(new Entity("Note", "new" + made++, null, null, given));
        return "insert Note " + assignments(given);
    }

    private String knows() {
        Map<String, Object> given = new TreeMap<>();
        if (chance(0.5)) {
            given.put("since", value("since"));
        }
        if (chance(0.3)) {
            given.put("weight", value("weight"));
        }
        return edge("Knows", name(), name(), given);
    }

    /** The server chooses the ids of notes, so a note inserted in the same query is not referred to. */
    private String wrote() {
        List<String> notes = before.entities.stream()
                .filter(e -> e.type.equals("Note"))
                .map(e -> e.id)
                .toList();
        String to = notes.isEmpty() || chance(0.05) ? "nowhere" : pick(notes);
        return edge("Wrote", name(), to, chance(0.3) ? Map.of("draft", value("draft")) : Map.of());
    }

    private String edge(String type, String from, String to, Map<String, Object> given) {
        boolean fits = of("Person").stream().anyMatch(e -> e.id.equals(from))
                && of(type.equals("Knows") ? "Person" : "Note").stream().anyMatch(e -> e.id.equals(to));
        if (!fits) {
            violations.add(ORPHAN);
        }
        now.add(new Entity(type, "new" + made++, from, to, given));
        Map<String, Object> all = new TreeMap<>(given);
        all.put("from", from);
        all.put("to", to);
        return "insert " + type + " " + assignments(all);
    }

    /** A new value of a property, as text and as a function of the old properties. */
    private record Change(String property, String text, Function<Entity, Object> value) {}

    private String update(String type) {
        Condition condition = condition(type, 0);
        List<Change> changes = new ArrayList<>();
        Set<String> named = new HashSet<>();
        for (int i = 1 + below(2); i > 0; i--) {
            Change change = change(type);
            if (named.add(change.property)) {
                changes.add(change);
            }
        }
        for (Entity entity : of(type)) {
            if (Boolean.TRUE.equals(condition.holds.apply(entity))) {
                Entity old = entity.copy();
                changes.forEach(change -> entity.set(change.property, change.value.apply(old)));
            }
        }
        return "update "
                + type
                + " set "
                + changes.stream().map(c -> c.property + ": " + c.text).collect(Collectors.joining(", ", "{ ", " }"))
                + " where "
                + condition.text;
    }

    private Change change(String type) {
        String property = pick(
                switch (type) {
                    case "Person" -> List.of("age", "age", "email", "level", "mood", "code");
                    case "Note" -> List.of("stars");
                    case "Knows" -> List.of("since", "since", "weight");
                    default -> List.of("draft");
                });
        if (!property.equals("level") && chance(0.2)) {
            return new Change(property, "null", e -> null);
        }
        long by = below(3) - 1L;
        boolean counts = Set.of("age", "level", "since", "stars").contains(property);
        if (counts && chance(0.6)) {
            return new Change(
                    property,
                    property + " + " + by,
                    e -> e.get(property) instanceof Long old ? (Object) (old + by) : null);
        }
        Object value = value(property);
        return new Change(property, quoted(value), e -> value);
    }

    private String delete() {
        String type = pick(List.of("Person", "Person", "Note", "Knows", "Wrote"));
        Condition condition = condition(type, 0);
        List<Entity> gone = of(type).stream()
                .filter(e -> Boolean.TRUE.equals(condition.holds.apply(e)))
                .toList();
        now.removeAll(gone);
        if (type.equals("Person") || type.equals("Note")) {
            Collection<String> ids = gone.stream().map(e -> e.id).toList();
            boolean person = type.equals("Person");
            now.removeIf(e -> e.isEdge()
                    && ((person && ids.contains(e.from)) || (person == e.type.equals("Knows") && ids.contains(e.to))));
        }
        return "delete " + type + " where " + condition.text;
    }

    /** Makes a match, with its rows over the state before the first statement. */
    private String match() {
        variables.put("a", "Person");
        List<Map<String, Entity>> found = new ArrayList<>();
        List<Entity> people = of("Person");
        String text = "$a: Person ";
        switch (below(4)) {
            case 0 -> people.forEach(a -> found.add(row("a", a)));
            case 1 -> {
                text += "$a $k:knows $b ";
                variables.put("b", "Person");
                variables.put("k", "Knows");
                of("Knows").forEach(k -> found.add(row("a", find(k.from), "b", find(k.to), "k", k)));
            }
            case 2 -> {
                text += "optional { $a $w:wrote $n } ";
                variables.put("n", "Note");
                variables.put("w", "Wrote");
                for (Entity a : people) {
                    List<Entity> written = of("Wrote").stream()
                            .filter(w -> w.from.equals(a.id))
                            .toList();
                    written.forEach(w -> found.add(row("a", a, "w", w, "n", find(w.to))));
                    if (written.isEmpty()) {
                        found.add(row("a", a, "w", null, "n", null));
                    }
                }
            }
            default -> {
                text += "$b: Person $a.@id < $b.@id ";
                variables.put("b", "Person");
                people.forEach(a -> people.stream()
                        .filter(b -> a.id.compareTo(b.id) < 0)
                        .forEach(b -> found.add(row("a", a, "b", b))));
            }
        }
        String of = variables.containsKey("b") && chance(0.5) ? "b" : "a";
        owner = "$" + of + ".";
        Condition condition = condition("Person", 0);
        owner = "";
        rows = found.stream()
                .filter(row -> Boolean.TRUE.equals(condition.holds.apply(row.get(of))))
                .toList();
        return "match { " + text + condition.text + " }";
    }

    private Entity find(String id) {
        return now.stream()
                .filter(e -> !e.isEdge() && e.id.equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Entity> row(Object... cells) {
        Map<String, Entity> row = new HashMap<>();
        for (int i = 0; i < cells.length; i += 2) {
            row.put((String) cells[i], (Entity) cells[i + 1]);
        }
        return row;
    }

    /** Statements that run for each element of a list. */
    private String loop() {
        Map<String, String> outside = new TreeMap<>(variables);
        List<Map<String, Entity>> before = rows;
        List<Long> items = new ArrayList<>();
        for (int i = 1 + below(3); i > 0; i--) {
            items.add((long) below(4));
        }
        List<Map<String, Entity>> extended = new ArrayList<>();
        for (Map<String, Entity> row : before) {
            for (Long item : items) {
                Map<String, Entity> more = new HashMap<>(row);
                more.put("i", new Entity("#", "", null, null, Map.of("v", item)));
                extended.add(more);
            }
        }
        rows = extended;
        looping = true;
        String body = bound(0) + (chance(0.5) ? " " + bound(0) : "");
        looping = false;
        rows = before;
        variables.clear();
        variables.putAll(outside);
        return "for $i in " + items + " { " + body + " }";
    }

    /** A statement that runs once a row. */
    private String bound(double deletes) {
        if (!looping && chance(0.15)) {
            return loop();
        }
        List<String> names = List.copyOf(variables.keySet());
        if (!names.isEmpty() && chance(deletes)) {
            return deleteBound(names);
        }
        return switch (below(names.isEmpty() ? 2 : 5)) {
            case 0 -> insertBound(true);
            case 1 -> chance(0.5) ? insertBound(false) : edgeBound();
            case 2 -> edgeBound();
            default -> updateBound(pick(names));
        };
    }

    private String deleteBound(List<String> names) {
        Set<String> chosen = new TreeSet<>(Set.of(pick(names)));
        if (chance(0.4)) {
            chosen.add(pick(names));
        }
        Set<Entity> gone = new HashSet<>();
        rows.forEach(row -> chosen.forEach(name -> gone.add(get(row, name))));
        now.removeIf(e -> gone.contains(e)
                || (e.isEdge()
                        && gone.stream()
                                .anyMatch(
                                        g -> g != null && !g.isEdge() && (e.from.equals(g.id) || e.to.equals(g.id)))));
        return "delete " + chosen.stream().map(name -> "$" + name).collect(Collectors.joining(", "));
    }

    /** A value of a property, as text and as a function of a row. */
    private record Field(String property, String text, Function<Map<String, Entity>, Object> value) {}

    private Field field(String property) {
        if (looping && List.of("age", "stars", "since").contains(property) && chance(0.7)) {
            return new Field(property, "$i", row -> row.get("i").get("v"));
        }
        if (List.of("age", "stars", "since").contains(property) && chance(0.25)) {
            return block(property);
        }
        String source = variables.isEmpty() ? null : pick(List.copyOf(variables.keySet()));
        String read = source == null
                ? null
                : switch (variables.get(source)) {
                    case "Person" -> "age";
                    case "Note" -> "stars";
                    case "Knows" -> "since";
                    default -> null;
                };
        if (read != null && List.of("age", "stars", "since").contains(property) && chance(0.5)) {
            return new Field(
                    property,
                    "$" + source + "." + read,
                    row -> get(row, source) == null ? null : get(row, source).get(read));
        }
        Object value = value(property);
        return new Field(property, quoted(value), row -> value);
    }

    /** The value of a block, which sees what was there before the first statement, and only what the match binds. */
    private Field block(String property) {
        List<String> people = variables.keySet().stream()
                .filter(name -> variables.get(name).equals("Person") && matched.contains(name))
                .toList();
        if (people.isEmpty() || chance(0.2)) {
            long all = before.entities.stream()
                    .filter(e -> e.type.equals("Person"))
                    .count();
            return new Field(property, "count { $other: Person }", row -> all);
        }
        String of = pick(people);
        String text =
                chance(0.5) ? "count { $" + of + " knows $_ }" : "length(collect($other) { $" + of + " knows $other })";
        return new Field(
                property,
                text,
                row -> before.entities.stream()
                        .filter(e -> e.type.equals("Knows"))
                        .filter(e -> row.get(of) != null && e.from.equals(row.get(of).id))
                        .map(e -> e.to)
                        .distinct()
                        .count());
    }

    /** What a variable is bound to, as it is now; null when it was deleted. */
    private Entity get(Map<String, Entity> row, String name) {
        Entity bound = row.get(name);
        return now.stream()
                .filter(e -> bound != null && e.type.equals(bound.type) && e.id.equals(bound.id))
                .findFirst()
                .orElse(null);
    }

    /** Inserts a person or a note a row. */
    private String insertBound(boolean person) {
        List<Field> fields = new ArrayList<>();
        List<String> people = variables.keySet().stream()
                .filter(name -> variables.get(name).equals("Person"))
                .toList();
        if (person && !people.isEmpty() && chance(0.5)) {
            String of = pick(people);
            fields.add(new Field("name", "$" + of + ".name", row -> get(row, of) == null ? null : row.get(of).id));
        } else {
            Object given = person ? name() : "t" + random.nextInt(1 << 20);
            fields.add(new Field(person ? "name" : "text", quoted(given), row -> given));
        }
        for (String property : person ? List.of("age", "level") : List.of("stars")) {
            if (chance(0.5)) {
                fields.add(field(property));
            }
        }
        String type = person ? "Person" : "Note";
        List<Entity> written = new ArrayList<>();
        for (Map<String, Entity> row : rows) {
            Object first = fields.getFirst().value.apply(row);
            Entity old = person
                    ? of("Person").stream()
                            .filter(e -> e.id.equals(first))
                            .findFirst()
                            .orElse(null)
                    : null;
            Entity entity = old != null
                    ? old.copy()
                    : new Entity(
                            type,
                            person ? String.valueOf(first) : "new" + made++,
                            null,
                            null,
                            person ? Map.of("level", 1L) : Map.of());
            fields.forEach(field -> entity.set(field.property, field.value.apply(row)));
            if (first == null) {
                violations.add(VALUE);
            }
            written.add(entity);
        }
        return "insert " + type + fieldTexts(fields) + as(type, write(written));
    }

    private static String fieldTexts(List<Field> fields) {
        return fields.stream().map(f -> f.property + ": " + f.text).collect(Collectors.joining(", ", " { ", " }"));
    }

    /** Lets what the rows write take effect; returns the entities, by row. */
    private List<Entity> write(List<Entity> written) {
        Map<String, Entity> first = new HashMap<>();
        List<Entity> done = new ArrayList<>();
        for (Entity entity : written) {
            Entity same = entity == null ? null : first.putIfAbsent(entity.type + " " + entity.id, entity);
            if (same != null && !same.properties.equals(entity.properties)) {
                violations.add(TWO_VALUES);
            }
            Entity target = entity;
            for (Entity e : now) {
                if (entity != null && e.type.equals(entity.type) && e.id.equals(entity.id)) {
                    target = e;
                }
            }
            if (target == entity && entity != null) {
                now.add(entity);
            } else if (target != null) {
                target.properties.clear();
                target.properties.putAll(entity.properties);
            }
            done.add(target);
        }
        return done;
    }

    /** Binds the inserted entities to a new variable, or not. */
    private String as(String type, List<Entity> inserted) {
        if (chance(0.5)) {
            return "";
        }
        String name = "x" + variables.size();
        List<Map<String, Entity>> bound = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            Map<String, Entity> row = new HashMap<>(rows.get(i));
            row.put(name, inserted.get(i));
            bound.add(row);
        }
        rows = bound;
        variables.put(name, type);
        return " as $" + name;
    }

    private String edgeBound() {
        List<String> people = ends("Person");
        List<String> notes = ends("Note");
        boolean wrote = !notes.isEmpty() && chance(0.5);
        String type = wrote ? "Wrote" : "Knows";
        String from = pick(people);
        String to = wrote ? pick(notes) : pick(people);
        List<Field> fields = new ArrayList<>();
        if (!wrote && chance(0.5)) {
            fields.add(field("since"));
        }
        List<Entity> written = new ArrayList<>();
        for (Map<String, Entity> row : rows) {
            if (isNone(from, row) || isNone(to, row)) {
                written.add(null);
                continue;
            }
            Entity source = end(from, row);
            Entity target = end(to, row);
            if (source == null || target == null) {
                violations.add(ORPHAN);
            }
            Entity edge = new Entity(
                    type, "new" + made++, source == null ? from : source.id, target == null ? to : target.id, Map.of());
            fields.forEach(field -> edge.set(field.property, field.value.apply(row)));
            written.add(edge);
        }
        List<Field> all = new ArrayList<>(fields);
        all.add(new Field("from", isVariable(from) ? from : quoted(from), row -> null));
        all.add(new Field("to", isVariable(to) ? to : quoted(to), row -> null));
        return "insert " + type + fieldTexts(all) + as(type, write(written));
    }

    private static boolean isNone(String end, Map<String, Entity> row) {
        return isVariable(end) && row.get(end.substring(1)) == null;
    }

    private static boolean isVariable(String end) {
        return end.startsWith("$");
    }

    /** What can be an end: variables of the type and, for a person, names. */
    private List<String> ends(String type) {
        List<String> ends = new ArrayList<>();
        variables.forEach((name, of) -> {
            if (of.equals(type)) {
                ends.add("$" + name);
            }
        });
        if (type.equals("Person") && (ends.isEmpty() || chance(0.3))) {
            ends.add(name());
        }
        return ends;
    }

    private Entity end(String end, Map<String, Entity> row) {
        return isVariable(end)
                ? get(row, end.substring(1))
                : of("Person").stream()
                        .filter(e -> e.id.equals(end))
                        .findFirst()
                        .orElse(null);
    }

    private String updateBound(String name) {
        String type = variables.get(name);
        List<Change> own = new ArrayList<>();
        List<Field> others = new ArrayList<>();
        Change change = change(type);
        if (chance(0.5)) {
            own.add(change);
        } else {
            others.add(field(change.property));
        }
        List<Entity> written = new ArrayList<>();
        for (Map<String, Entity> row : rows) {
            Entity old = get(row, name);
            if (old != null) {
                Entity entity = old.copy();
                own.forEach(each -> entity.set(each.property, each.value.apply(old)));
                others.forEach(each -> entity.set(each.property, each.value.apply(row)));
                written.add(entity);
            }
        }
        write(written);
        String set = own.stream().map(c -> c.property + ": " + c.text).collect(Collectors.joining(", "))
                + others.stream().map(c -> c.property + ": " + c.text).collect(Collectors.joining(", "));
        return "update $" + name + " set { " + set + " }";
    }

    /** A predicate as text and as a function of an entity: null is unknown. */
    private record Condition(String text, Function<Entity, Boolean> holds) {}

    private Condition condition(String type, int depth) {
        if (depth < 2 && chance(0.3)) {
            Condition a = condition(type, depth + 1);
            Condition b = condition(type, depth + 1);
            return switch (below(3)) {
                case 0 ->
                    new Condition("(" + a.text + " and " + b.text + ")", e -> and(a.holds.apply(e), b.holds.apply(e)));
                case 1 ->
                    new Condition(
                            "(" + a.text + " or " + b.text + ")",
                            e -> not(and(not(a.holds.apply(e)), not(b.holds.apply(e)))));
                default -> new Condition("not (" + a.text + ")", e -> not(a.holds.apply(e)));
            };
        }
        return leaf(type);
    }

    private Condition leaf(String type) {
        if (chance(0.04)) {
            return new Condition("true", e -> true);
        }
        return switch (type) {
            case "Person" ->
                switch (below(6)) {
                    case 0 -> equal("name", name());
                    case 1 -> equal("@id", name());
                    case 2 -> greater("age", below(5));
                    case 3 -> equal("age", (long) below(5));
                    case 4 -> equal("mood", value("mood"));
                    default -> isNull(pick(List.of("age", "email", "mood", "code")));
                };
            case "Note" -> chance(0.5) ? greater("stars", below(4)) : isNull("stars");
            default ->
                switch (below(4)) {
                    case 0 -> equal("@src", name());
                    case 1 -> equal("@dst", type.equals("Knows") ? name() : "nowhere");
                    case 2 -> isNull(type.equals("Knows") ? "since" : "draft");
                    default -> type.equals("Knows") ? equal("since", (long) below(4)) : equal("draft", chance(0.5));
                };
        };
    }

    private Condition equal(String property, Object value) {
        return new Condition(
                owner + property + " = " + quoted(value),
                e -> e.get(property) == null ? null : Objects.equals(e.get(property), value));
    }

    private Condition greater(String property, long value) {
        return new Condition(
                owner + property + " > " + value,
                e -> e.get(property) instanceof Long has ? (Boolean) (has > value) : null);
    }

    private Condition isNull(String property) {
        boolean negated = chance(0.4);
        return new Condition(
                owner + property + " is " + (negated ? "not " : "") + "null",
                e -> (e.get(property) == null) != negated);
    }

    private static Boolean not(Boolean value) {
        return value == null ? null : (Boolean) !value;
    }

    private static Boolean and(Boolean a, Boolean b) {
        if (Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)) {
            return false;
        }
        return (a == null || b == null) ? null : (Boolean) true;
    }
}
