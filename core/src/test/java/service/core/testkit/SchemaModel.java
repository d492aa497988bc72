package service.core.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;

/**
 * A graph and its schema in plain maps, for random migrations. Types and properties are objects, so that a rename keeps
 * them; a migration is a changed copy. It says which refusals a migration must have, and what every state holds. It
 * shares no code with the planner.
 */
public final class SchemaModel {
    /** A property of a type; {@code words} is null unless it is an enum. */
    public static final class Prop {
        public final int label;
        public String name;

        @Nullable
        public String from;

        public String type;

        @Nullable
        public TreeSet<String> words;

        public boolean nullable;

        @Nullable
        public Integer initial;

        /** What entities have that are older than the property; see {@link #settled}. */
        @Nullable
        public Integer old;

        /** Whether a migration has added the property, which decides {@link #old} for good. */
        public boolean settled;

        public boolean unique;
        public boolean indexed;

        @Nullable
        public Integer min;

        public Prop(int label, String name, String type) {
            this.label = label;
            this.name = name;
            this.type = type;
        }

        public Prop copy() {
            Prop copy = new Prop(label, name, type);
            copy.from = from;
            copy.words = words == null ? null : new TreeSet<>(words);
            copy.nullable = nullable;
            copy.initial = initial;
            copy.old = old;
            copy.settled = settled;
            copy.unique = unique;
            copy.indexed = indexed;
            copy.min = min;
            return copy;
        }

        public String source() {
            String shown = words == null ? type : "enum(" + String.join(", ", words) + ")";
            return name
                    + ": "
                    + shown
                    + (nullable ? "?" : "")
                    + (initial == null ? "" : " @default(" + initial + ")")
                    + (unique ? " @unique" : indexed ? " @index" : "")
                    + (from == null ? "" : " @rename_from(\"" + from + "\")")
                    + (min == null ? "" : "\n  @range(" + name + ", " + min + "..)");
        }
    }

    /** A node type, or an edge type if it has ends. */
    public static final class Type {
        public final int label;
        public String name;

        @Nullable
        public String from;

        public int source;
        public int destination;

        /** Labels of the types at which an edge may end as well; then its ends are shown with their types. */
        public Set<Integer> others = new TreeSet<>();

        public int max = Integer.MAX_VALUE;
        public List<Prop> props = new ArrayList<>();

        public Type(int label, String name) {
            this.label = label;
            this.name = name;
        }

        public boolean isEdge() {
            return source != 0;
        }

        public Type copy() {
            Type copy = new Type(label, name);
            copy.from = from;
            copy.source = source;
            copy.destination = destination;
            copy.others.addAll(others);
            copy.max = max;
            props.forEach(prop -> copy.props.add(prop.copy()));
            return copy;
        }

        @Nullable
        public Prop prop(int propLabel) {
            return props.stream()
                    .filter(prop -> prop.label == propLabel)
                    .findFirst()
                    .orElse(null);
        }
    }

    /**
     * Values by label of the property; {@code from} and {@code to} are null for a node.
     *
     * @param toType label of the type of the node that an edge ends at; 0 for a node
     */
    public record Entity(@Nullable String from, @Nullable String to, int toType, Map<Integer, Object> values) {}

    public Map<Integer, Type> types = new LinkedHashMap<>();

    /** Entities by label of their type, then by id. */
    public Map<Integer, Map<String, Entity>> entities = new HashMap<>();

    private int labels;

    public int label() {
        return ++labels;
    }

    public SchemaModel copy() {
        SchemaModel copy = new SchemaModel();
        copy.labels = labels;
        types.forEach((label, type) -> copy.types.put(label, type.copy()));
        entities.forEach((label, all) -> copy.entities.put(label, new TreeMap<>(all)));
        return copy;
    }

    public Map<String, Entity> entities(int type) {
        return entities.computeIfAbsent(type, label -> new TreeMap<>());
    }

    public String source() {
        StringBuilder source = new StringBuilder();
        for (Type type : types.values()) {
            String from = type.from == null ? "" : " @rename_from(\"" + type.from + "\")";
            String body = type.props.stream().map(Prop::source).collect(Collectors.joining("\n  ", " {\n  ", "\n}\n"));
            if (type.isEdge()) {
                String card = type.max == Integer.MAX_VALUE ? "" : " @card(0.." + type.max + ")";
                source.append("edge %s: %s -> %s%s%s"
                        .formatted(
                                type.name,
                                name(type.source),
                                name(type.destination),
                                type.others.stream()
                                        .map(other -> " | " + name(other))
                                        .collect(Collectors.joining()),
                                card));
            } else {
                source.append("node ").append(type.name);
            }
            source.append(from).append(body);
        }
        return source.toString();
    }

    private String name(int type) {
        return Objects.requireNonNull(types.get(type)).name;
    }

    /** Whether a renamed type has the name of a type that exists and is not renamed itself. */
    private boolean takesAName(Type renamed, SchemaModel desired) {
        return isRename(renamed)
                && has(renamed, renamed.name)
                && desired.types.values().stream()
                        .noneMatch(type ->
                                type.isEdge() == renamed.isEdge() && isRename(type) && renamed.name.equals(type.from));
    }

    /** Whether a desired type is renamed now. A schema may keep the annotation of an earlier rename. */
    private boolean isRename(Type desired) {
        return has(desired, desired.from)
                && types.values().stream()
                        .noneMatch(type -> type.isEdge() == desired.isEdge()
                                && type.name.equals(desired.name)
                                && Objects.equals(type.from, desired.from));
    }

    private boolean has(Type kind, @Nullable String name) {
        return types.values().stream().anyMatch(type -> type.isEdge() == kind.isEdge() && type.name.equals(name));
    }

    /**
     * The codes with which a change to another schema must be refused; empty when it must be applied.
     *
     * @param dropsApproved whether types with entities may be dropped
     */
    public Set<String> refusals(SchemaModel desired, boolean dropsApproved) {
        desired.settle(this);
        if (desired.types.values().stream().anyMatch(type -> takesAName(type, desired))) {
            // Then types are paired in another way, which decides the other refusals.
            return Set.of("PG-MF-109");
        }
        return refusalsOfData(desired, dropsApproved);
    }

    /** Decides what entities have that are older than the properties which this schema adds to another one. */
    private void settle(SchemaModel accepted) {
        for (Type type : types.values()) {
            Type before = accepted.types.get(type.label);
            for (Prop prop : type.props) {
                if (!prop.settled) {
                    prop.settled = true;
                    prop.old = before == null || before.prop(prop.label) != null || prop.nullable ? null : prop.initial;
                }
            }
        }
    }

    /** The same for a branch that gets a later schema: renames do not matter. */
    public Set<String> refusalsOfData(SchemaModel desired, boolean dropsApproved) {
        Set<String> codes = new HashSet<>();
        for (Type type : types.values()) {
            Type now = desired.types.get(type.label);
            if (now == null) {
                if (!entities(type.label).isEmpty() && !dropsApproved) {
                    codes.add(type.isEdge() ? "PG-DS-103" : "PG-DS-102");
                }
                continue;
            }
            Set<String> structural = new HashSet<>();
            Set<String> ofData = new HashSet<>();
            for (Prop prop : now.props) {
                Prop before = type.prop(prop.label);
                if (before != null && retyped(before, prop)) {
                    structural.add("PG-MF-106");
                }
                ofData.addAll(dataRefusals(type, before, prop));
            }
            if (entities(type.label).values().stream()
                    .anyMatch(edge -> type.others.contains(edge.toType) && !now.others.contains(edge.toType))) {
                ofData.add("PG-MF-108");
            }
            if (now.max < type.max && most(type) > now.max) {
                ofData.add("PG-MF-107");
            }
            codes.addAll(structural);
            if (structural.isEmpty()) {
                codes.addAll(ofData);
            } else {
                ofData.remove("PG-MF-107");
                codes.addAll(ofData);
            }
        }
        return codes;
    }

    private static boolean retyped(Prop before, Prop prop) {
        if (prop.words == null || before.words == null) {
            boolean bothPlain = prop.words == null && before.words == null;
            return !bothPlain || !prop.type.equals(before.type);
        }
        return !prop.words.containsAll(before.words);
    }

    private Set<String> dataRefusals(Type type, @Nullable Prop before, Prop prop) {
        Set<String> codes = new HashSet<>();
        Map<String, Entity> all = entities(type.label);
        if (before == null && !prop.nullable && prop.old == null && !all.isEmpty()) {
            codes.add("PG-MF-103");
        }
        List<Object> values = new ArrayList<>();
        for (Entity entity : all.values()) {
            Object value = before == null ? prop.old : entity.values.get(prop.label);
            if (value == null) {
                if (before != null && before.nullable && !prop.nullable) {
                    codes.add("PG-MF-104");
                }
            } else {
                values.add(value);
            }
        }
        if (prop.unique && (before == null || !before.unique) && new HashSet<>(values).size() < values.size()) {
            codes.add("PG-MF-107");
        }
        boolean newRange = prop.min != null && (before == null || !prop.min.equals(before.min));
        if (newRange && values.stream().anyMatch(value -> value instanceof Integer i && i < prop.min)) {
            codes.add("PG-MF-107");
        }
        return codes;
    }

    private long most(Type edge) {
        return entities(edge.label).values().stream()
                .collect(Collectors.groupingBy(entity -> Objects.requireNonNull(entity.from), Collectors.counting()))
                .values()
                .stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** The graph after a change to another schema. */
    public SchemaModel migrated(SchemaModel desired) {
        desired.settle(this);
        return shownAs(desired);
    }

    /** The entities of this graph as a later schema of it has them. */
    public SchemaModel shownAs(SchemaModel later) {
        SchemaModel after = later.copy();
        after.entities.clear();
        for (Type now : after.types.values()) {
            Type before = types.get(now.label);
            if (before == null) {
                continue;
            }
            entities(now.label).forEach((id, entity) -> {
                Map<Integer, Object> values = new TreeMap<>();
                for (Prop prop : now.props) {
                    Object value = before.prop(prop.label) == null ? prop.old : entity.values.get(prop.label);
                    if (value != null) {
                        values.put(prop.label, value);
                    }
                }
                after.entities(now.label).put(id, new Entity(entity.from, entity.to, entity.toType, values));
            });
        }
        return after;
    }

    /** Deletes a node with its edges, or an edge. */
    public void delete(Type type, String id) {
        entities(type.label).remove(id);
        for (Type edge : types.values()) {
            entities(edge.label)
                    .values()
                    .removeIf(entity -> (edge.source == type.label && id.equals(entity.from()))
                            || (entity.toType == type.label && id.equals(entity.to())));
        }
    }

    /** Whether two entities share a unique value, or a node has more edges than allowed. */
    public boolean isViolated() {
        for (Type type : types.values()) {
            if (type.isEdge() && most(type) > type.max) {
                return true;
            }
            for (Prop prop : type.props) {
                List<Object> values = entities(type.label).values().stream()
                        .map(entity -> entity.values.get(prop.label))
                        .filter(Objects::nonNull)
                        .toList();
                if (prop.unique && new HashSet<>(values).size() < values.size()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What an export holds: by type name and id, the text of the ends and of all values by name. */
    public Map<String, String> export() {
        Map<String, String> lines = new TreeMap<>();
        for (Type type : types.values()) {
            entities(type.label).forEach((id, entity) -> {
                Map<String, Object> values = new TreeMap<>();
                entity.values.forEach(
                        (label, value) -> values.put(Objects.requireNonNull(type.prop(label)).name, value));
                String to = (type.others.isEmpty() ? "" : name(entity.toType) + " ") + entity.to;
                String ends = type.isEdge() ? entity.from + "->" + to : "";
                lines.put(type.name + "/" + id, ends + values);
            });
        }
        return lines;
    }

    /** The label of the type of that kind and name; 0 where there is none. */
    public int labelOf(boolean edge, String name) {
        return types.values().stream()
                .filter(type -> type.isEdge() == edge && type.name.equals(name))
                .mapToInt(type -> type.label)
                .findFirst()
                .orElse(0);
    }

    /** Whether an edge may end at nodes of a type. */
    public boolean mayEnd(Type edge, int node) {
        return types.containsKey(node) && (edge.destination == node || edge.others.contains(node));
    }

    /** What an export in NDJSON holds, as {@link #export} says it. */
    public static Map<String, String> exported(String ndjson) {
        Map<String, String> lines = new TreeMap<>();
        ndjson.lines().forEach(line -> {
            JsonNode record = Json.read(line, "a line");
            Map<String, Object> values = new TreeMap<>();
            record.path("data").properties().stream()
                    .filter(field -> !field.getValue().isNull())
                    .forEach(field -> values.put(
                            field.getKey(),
                            field.getValue().isTextual()
                                    ? field.getValue().asText()
                                    : field.getValue().intValue()));
            String id = (String) values.remove("id");
            boolean edge = record.has("edge");
            String to = record.path("to").isObject()
                    ? record.at("/to/type").asText() + " " + record.at("/to/id").asText()
                    : record.path("to").asText();
            String ends = edge ? record.path("from").asText() + "->" + to : "";
            lines.put(record.path(edge ? "edge" : "type").asText() + "/" + id, ends + values);
        });
        return lines;
    }

    /** A random value that the property allows. */
    public static Object value(Prop prop, Random random) {
        if (prop.words != null) {
            return List.copyOf(prop.words).get(random.nextInt(prop.words.size()));
        }
        int number = random.nextInt(40) + (prop.min == null ? 0 : prop.min);
        return prop.type.equals("String") ? "t" + number : (Object) number;
    }
}
