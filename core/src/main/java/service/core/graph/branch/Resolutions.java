package service.core.graph.branch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.Image;
import service.core.json.JsonValues;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * The resolutions of one run of a merge. Every one must be used: one for what is not in conflict comes from an older
 * state of the branches or is a mistake, and is refused. One thread, one use.
 */
final class Resolutions {
    /** The part of a name that means the entity. */
    private static final int WHOLE = Integer.MIN_VALUE;

    /** @param part a property, an end as in {@link ThreeWay}, or {@link #WHOLE} */
    private record Name(int type, String id, int part) {}

    /**
     * What the resolutions make of an entity in conflict.
     *
     * @param image with what they decide; the target's where they do not
     * @param open the properties that they do not decide
     */
    record Outcome(@Nullable Image image, List<Integer> open) {}

    private final Map<Name, Resolution> unused = new LinkedHashMap<>();
    private final Map<Name, Resolution> used = new HashMap<>();

    /** The given values, which are texts for ends. */
    private final Map<Name, Value> given = new HashMap<>();

    /** The resolutions of entities whose types only the source has, by the names that they were given under. */
    private final Map<Name, Name> dropped = new HashMap<>();

    /**
     * Checks the resolutions against the schema.
     *
     * @param earlier the schema of a source that has another one; types that only this has may be named, too
     * @param granularity the name under which a request asks for changes to be combined by property; null where it did,
     *     so that properties may be named
     * @throws ServiceException {@code bad_request} for an unknown type or property, for what is named twice, and for a
     *     value that the property cannot have
     */
    Resolutions(
            List<Resolution> resolutions, Catalog catalog, @Nullable Catalog earlier, @Nullable String granularity) {
        for (Resolution resolution : resolutions) {
            EntityType own = type(catalog, resolution);
            EntityType was = earlier == null ? null : type(earlier, resolution);
            EntityType type = own == null ? was : own;
            if (type == null) {
                throw ServiceException.badRequest("a resolution names the unknown type `" + resolution.typeName()
                        + "` of a " + resolution.kind().wireName());
            }
            if (resolution.property() != null && granularity != null) {
                throw ServiceException.badRequest("a resolution names a property, " + resolution.subject()
                        + "; that needs `" + granularity + " = property`");
            }
            Name name = new Name(type.identity(), resolution.entityId(), part(type, resolution));
            if (own != null && was != null && catalog.type(was.identity()) == null) {
                dropped.put(new Name(was.identity(), name.id, name.part), name);
            }
            if (unused.put(name, resolution) != null) {
                throw ServiceException.badRequest(
                        "the resolutions name " + resolution.subject() + " twice; keep one of them");
            }
            if (resolution.choice() instanceof Resolution.Given(JsonNode value)) {
                given.put(name, value(type, name.part, value, resolution));
            }
        }
    }

    private static @Nullable EntityType type(Catalog catalog, Resolution resolution) {
        return resolution.kind() == EntityKind.NODE
                ? catalog.node(resolution.typeName())
                : catalog.edge(resolution.typeName());
    }

    private static int part(EntityType type, Resolution resolution) {
        String named = resolution.property();
        if (named == null) {
            return WHOLE;
        }
        if (type instanceof EntityType.EdgeType && (named.equals("from") || named.equals("to"))) {
            return named.equals("from") ? ThreeWay.FROM : ThreeWay.TO;
        }
        return type.properties().stream()
                .filter(property -> property.name().equals(named))
                .mapToInt(Property::identity)
                .findFirst()
                .orElseThrow(() -> ServiceException.badRequest(
                        "a resolution names the unknown property `" + named + "` of " + type.name()));
    }

    private static Value value(EntityType type, int part, JsonNode json, Resolution resolution) {
        Property property = type.property(part);
        if (type instanceof EntityType.EdgeType edge && (part == ThreeWay.FROM || part == ThreeWay.TO)) {
            EdgeEnd end = part == ThreeWay.FROM ? edge.source() : edge.destination();
            if (end.wide() || end.places().size() > 1) {
                return end(edge, end, json, resolution);
            }
        }
        return JsonValues.read(
                property == null ? PropertyType.STRING : property.type(),
                property != null,
                json,
                "the resolution of " + resolution.subject(),
                (text, what) -> {
                    throw ServiceException.badRequest(what + " cannot give a Blob; take a side");
                });
    }

    /** The node that a resolution gives: {@code {"type", "id"}}, or an id where only one type may stand there. */
    private static Value end(EntityType.EdgeType edge, EdgeEnd end, JsonNode json, Resolution resolution) {
        boolean typed = json.isObject()
                && json.path("type").isTextual()
                && json.path("id").isTextual();
        if (!typed && !(json.isTextual() && end.types().size() == 1)) {
            throw ServiceException.badRequest("the resolution of " + resolution.subject() + " must be "
                    + (end.types().size() == 1 ? "the id of a " + end.names() : "an object {\"type\", \"id\"}"));
        }
        if (!typed) {
            return ThreeWay.Node.value(end.stored(end.types().getFirst().identity()), json.textValue());
        }
        String name = json.path("type").textValue();
        return end.types().stream()
                .filter(type -> type.name().equals(name))
                .map(type -> ThreeWay.Node.value(
                        end.stored(type.identity()), json.path("id").textValue()))
                .findFirst()
                .orElseThrow(() -> ServiceException.badRequest("the resolution of " + resolution.subject()
                        + " names a `" + name + "`, but that end of " + edge.name() + " is a " + end.names()));
    }

    /** Uses the resolution of an entity of which one side is taken as a whole; null when there is none. */
    Resolution.@Nullable Side takeWhole(int type, String id) {
        Name name = new Name(type, id, WHOLE);
        return use(dropped.getOrDefault(name, name)) instanceof Resolution.Side side ? side : null;
    }

    private Resolution.@Nullable Choice use(Name name) {
        Resolution found = used.get(name);
        if (found == null) {
            found = unused.remove(name);
            if (found == null) {
                return null;
            }
            used.put(name, found);
        }
        return found.choice();
    }

    /**
     * Uses the resolutions of an entity that both sides have, and whose properties are decided one by one. That of a
     * property comes before that of the entity.
     */
    Outcome takeEach(int type, String id, ThreeWay.Disputed disputed, Image source, Image target) {
        Image start = disputed.combined() == null ? target : disputed.combined();
        NavigableMap<Integer, Value> row = start.properties().toMap();
        ThreeWay.Node from = ThreeWay.Node.from(start);
        ThreeWay.Node to = ThreeWay.Node.to(start);
        List<Integer> open = new ArrayList<>();
        for (int part : disputed.disputed()) {
            Name name = new Name(type, id, part);
            Resolution.Choice choice = use(name);
            if (choice == null) {
                choice = use(new Name(type, id, WHOLE));
            }
            if (choice == null) {
                open.add(part);
                continue;
            }
            Value value = switch (choice) {
                case Resolution.Side side -> ThreeWay.part(side == Resolution.Side.SOURCE ? source : target, part);
                case Resolution.Given ignored -> given.get(name);
            };
            if (part == ThreeWay.FROM || part == ThreeWay.TO) {
                ThreeWay.Node end = ThreeWay.Node.of(value);
                from = part == ThreeWay.FROM ? end : from;
                to = part == ThreeWay.TO ? end : to;
            } else if (value == null || value instanceof Value.Null) {
                row.remove(part);
            } else {
                row.put(part, value);
            }
        }
        return new Outcome(new Image(PropertyRow.of(row), from.id(), to.id(), from.type(), to.type()), open);
    }

    /** Whether a used resolution gives the entity the state of the target. */
    boolean keepsTarget(int type, String id) {
        Resolution found = used.get(new Name(type, id, WHOLE));
        return found != null && found.choice() == Resolution.Side.TARGET;
    }

    /** The number of used resolutions by side. */
    MergeResult.Resolved counts() {
        return new MergeResult.Resolved(count(Resolution.Side.SOURCE), count(Resolution.Side.TARGET));
    }

    private int count(Resolution.Side side) {
        return (int) used.values().stream()
                .filter(resolution -> resolution.choice() == side)
                .count();
    }

    /** @throws ServiceException {@code conflict} when a resolution was not used */
    void refuseNeedless() {
        if (!unused.isEmpty()) {
            throw needless(unused.values().iterator().next());
        }
    }

    /** The refusal of a resolution of what is not in conflict. */
    static ServiceException needless(Resolution resolution) {
        return new ServiceException(
                ErrorCode.CONFLICT,
                "the resolution of " + resolution.subject()
                        + " is stale or needless: "
                        + (resolution.property() == null
                                ? "the two sides have not changed it differently"
                                : "the two sides have not both changed that property, or other resolutions decide it,"
                                        + " or the entity is in conflict as a whole")
                        + "; look at the conflicts by a dry run and leave out that resolution");
    }
}
