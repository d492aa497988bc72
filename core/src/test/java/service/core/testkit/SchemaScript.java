package service.core.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Random schemas, changes of schemas and loads of a {@link SchemaModel}. Names are never used twice. */
public final class SchemaScript {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int IDS = 30;

    private final Random random;
    private int names;

    public SchemaScript(Random random) {
        this.random = random;
    }

    /** Two node types and an edge type between them, without entities. */
    public SchemaModel first() {
        SchemaModel first = new SchemaModel();
        for (int i = 0; i < 3; i++) {
            SchemaModel.Type type = new SchemaModel.Type(first.label(), typeName());
            type.props.add(prop(first, "I32"));
            type.props.add(prop(first, "String"));
            type.props.forEach(prop -> prop.nullable = true);
            if (i == 2) {
                type.source = 1;
                type.destination = 4;
            }
            first.types.put(type.label, type);
        }
        return first;
    }

    private SchemaModel.Prop prop(SchemaModel of, String type) {
        return new SchemaModel.Prop(of.label(), "p" + ++names, type);
    }

    private String typeName() {
        return "T" + ++names;
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /**
     * Makes one random edit.
     *
     * @param desired is changed
     * @param accepted the model in force, from which {@code desired} was copied
     */
    public void edit(SchemaModel desired, SchemaModel accepted) {
        List<SchemaModel.Type> types = new ArrayList<>(desired.types.values());
        SchemaModel.Type type = any(types);
        List<SchemaModel.Prop> props = type.props;
        SchemaModel.Prop prop = props.isEmpty() ? null : any(props);
        switch (random.nextInt(18)) {
            case 0 -> {
                SchemaModel.Type added = new SchemaModel.Type(desired.label(), typeName());
                added.props.add(prop(desired, "I32"));
                desired.types.put(added.label, added);
            }
            case 1 -> {
                if (types.size() > 3) {
                    desired.types.remove(type.label);
                    desired.types
                            .values()
                            .removeIf(edge -> edge.source == type.label || edge.destination == type.label);
                    desired.types.values().forEach(edge -> edge.others.remove(type.label));
                }
            }
            case 2 -> rename(type, accepted);
            case 3 -> swap(types, type, accepted);
            case 4, 5 -> props.add(added(desired));
            case 6 -> props.remove(prop);
            case 7 -> {
                SchemaModel.Prop old = prop == null ? null : accepted(accepted, type, prop);
                if (old != null && prop.name.equals(old.name)) {
                    prop.from = prop.name;
                    prop.name = "p" + ++names;
                }
            }
            case 8 -> {
                if (prop != null && prop.words != null) {
                    prop.words.add("w" + ++names);
                }
            }
            case 9 -> {
                if (prop != null && prop.words != null && prop.words.size() > 1) {
                    prop.words.remove(prop.words.first());
                }
            }
            case 10 -> {
                if (prop != null) {
                    prop.nullable = !prop.nullable;
                }
            }
            case 11 -> {
                if (prop != null && prop.words == null) {
                    prop.unique = !prop.unique;
                }
            }
            case 12 -> {
                if (prop != null) {
                    prop.indexed = !prop.indexed;
                }
            }
            case 13 -> {
                if (prop != null && prop.type.equals("I32") && prop.words == null && !type.isEdge()) {
                    prop.min = prop.min == null ? random.nextInt(8) : null;
                    prop.initial = prop.initial == null || prop.min == null ? prop.initial : Integer.valueOf(prop.min);
                }
            }
            case 14, 16, 17 -> {
                if (type.isEdge()) {
                    type.max = random.nextBoolean() ? Integer.MAX_VALUE : 2 + random.nextInt(4);
                } else {
                    types.stream().filter(SchemaModel.Type::isEdge).forEach(edge -> otherEnd(edge, type));
                }
            }
            default -> {
                if (prop != null
                        && random.nextInt(4) == 0
                        && prop.words == null
                        && prop.min == null
                        && prop.initial == null) {
                    prop.type = prop.type.equals("I32") ? "String" : "I32";
                }
            }
        }
    }

    private SchemaModel.Prop added(SchemaModel desired) {
        SchemaModel.Prop added = prop(desired, random.nextBoolean() ? "I32" : "String");
        switch (random.nextInt(4)) {
            case 0 -> {
                added.type = "I32";
                added.initial = random.nextInt(5);
            }
            case 1 -> added.words = new TreeSet<>(List.of("w" + ++names, "w" + ++names));
            default -> {}
        }
        added.nullable = added.initial == null && random.nextInt(4) > 0;
        added.indexed = random.nextBoolean();
        return added;
    }

    private void rename(SchemaModel.Type type, SchemaModel accepted) {
        SchemaModel.Type old = accepted.types.get(type.label);
        if (old != null && old.name.equals(type.name)) {
            type.from = type.name;
            type.name = typeName();
        }
    }

    /** Swaps the names of two types of one kind, unless they are new or renamed in this change. */
    private void swap(List<SchemaModel.Type> types, SchemaModel.Type type, SchemaModel accepted) {
        SchemaModel.Type other = any(types);
        SchemaModel.Type old = accepted.types.get(type.label);
        SchemaModel.Type oldOther = accepted.types.get(other.label);
        boolean possible = other != type
                && other.isEdge() == type.isEdge()
                && old != null
                && oldOther != null
                && old.name.equals(type.name)
                && oldOther.name.equals(other.name)
                && !type.name.equals(other.from)
                && !other.name.equals(type.from);
        if (possible) {
            type.from = type.name;
            other.from = other.name;
            String name = type.name;
            type.name = other.name;
            other.name = name;
        }
    }

    private static SchemaModel.@Nullable Prop accepted(
            SchemaModel accepted, SchemaModel.Type type, SchemaModel.Prop prop) {
        SchemaModel.Type old = accepted.types.get(type.label);
        return old == null ? null : old.prop(prop.label);
    }

    /**
     * Puts random entities into a model.
     *
     * @return the records of a load that does the same, one a line; empty for none
     */
    public String load(SchemaModel next) {
        List<ObjectNode> records = new ArrayList<>();
        for (SchemaModel.Type type : next.types.values()) {
            for (int n = random.nextInt(6); n > 0; n--) {
                insert(next, type, records);
            }
        }
        return records.stream().map(JsonNode::toString).collect(Collectors.joining("\n"));
    }

    /** Lets edges end at a type, or no longer. */
    private static void otherEnd(SchemaModel.Type edge, SchemaModel.Type type) {
        if (edge.destination != type.label && !edge.others.remove(type.label)) {
            edge.others.add(type.label);
        }
    }

    private void insert(SchemaModel next, SchemaModel.Type type, List<ObjectNode> records) {
        String id = (type.isEdge() ? "k" : "e") + random.nextInt(IDS);
        ObjectNode line = JSON.createObjectNode().put(type.isEdge() ? "edge" : "type", type.name);
        String from = null;
        String to = null;
        int toType = 0;
        if (type.isEdge()) {
            List<String> sources = new ArrayList<>(next.entities(type.source).keySet());
            List<Integer> ends = new ArrayList<>(type.others);
            ends.add(type.destination);
            toType = any(ends);
            List<String> destinations = new ArrayList<>(next.entities(toType).keySet());
            if (sources.isEmpty() || destinations.isEmpty()) {
                return;
            }
            from = any(sources);
            to = any(destinations);
            line.put("from", from);
            if (type.others.isEmpty()) {
                line.put("to", to);
            } else {
                line.putObject("to")
                        .put("type", Objects.requireNonNull(next.types.get(toType)).name)
                        .put("id", to);
            }
        }
        ObjectNode data = line.putObject("data").put("id", id);
        SchemaModel.Entity known = next.entities(type.label).get(id);
        Map<Integer, Object> values = new TreeMap<>(known == null ? Map.of() : known.values());
        for (SchemaModel.Prop prop : type.props) {
            boolean given = random.nextInt(3) > 0 || (!prop.nullable && prop.initial == null && known == null);
            Object value = given ? SchemaModel.value(prop, random) : known == null ? prop.initial : null;
            if (given) {
                data.putPOJO(prop.name, value);
            }
            if (value != null) {
                values.put(prop.label, value);
            }
        }
        next.entities(type.label).put(id, new SchemaModel.Entity(from, to, toType, values));
        records.removeIf(
                record -> record.path(type.isEdge() ? "edge" : "type").asText().equals(type.name)
                        && record.path("data").path("id").asText().equals(id));
        records.add(JSON.valueToTree(merged(line, type, values)));
    }

    /** The last record of an id counts alone, so each record has all values. */
    private static ObjectNode merged(ObjectNode line, SchemaModel.Type type, Map<Integer, Object> values) {
        ObjectNode data = (ObjectNode) line.path("data");
        for (SchemaModel.Prop prop : type.props) {
            if (values.containsKey(prop.label)) {
                data.putPOJO(prop.name, values.get(prop.label));
            }
        }
        return line;
    }
}
