package service.core.schema;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One end of an edge type: the node types that may stand there.
 *
 * <p>Every node type that ever could stand there keeps its <em>place</em>, from 0, for good. The type at place 0 is the
 * <em>first</em> one: where stored bytes name no type of an end, it is that one, so that the bytes of an edge type with
 * one type at each end are what they were before edge types with several existed.
 *
 * @param types the node types that may stand there, in the order of their places
 * @param places identities of the node types by place, those that may not stand there any more included
 * @param wide whether ids of the end are written with their types: it is declared as several types or as an interface
 * @param text the end as the schema declares it, such as {@code Package | Virtual}
 */
public record EdgeEnd(List<NodeName> types, List<Integer> places, boolean wide, String text) {
    /** Each edge type has room for so many node types at each end, over its whole life. */
    public static final int PLACES_MAX = 256;

    /** Stands for the first type in stored images and bytes. */
    public static final int FIRST = 0;

    /** A node type. */
    public record NodeName(int identity, String name) {}

    public EdgeEnd {
        types = List.copyOf(types);
        places = List.copyOf(places);
    }

    /** An end that only one node type ever stood at, declared by its name. */
    public static EdgeEnd of(int identity, String name) {
        return new EdgeEnd(List.of(new NodeName(identity, name)), List.of(identity), false, name);
    }

    /** Identity of the type at place 0, which may stand there or could once. */
    public int first() {
        return places.getFirst();
    }

    /** Whether nodes of a type may stand there. */
    public boolean has(int type) {
        for (NodeName each : types) {
            if (each.identity == type) {
                return true;
            }
        }
        return false;
    }

    /** Whether nodes of one of these types may stand there. */
    public boolean hasAny(Set<Integer> of) {
        for (NodeName each : types) {
            if (of.contains(each.identity)) {
                return true;
            }
        }
        return false;
    }

    /** The identities of the types. */
    public Set<Integer> identities() {
        Set<Integer> identities = new HashSet<>();
        types.forEach(type -> identities.add(type.identity));
        return identities;
    }

    /** The place of a type; −1 when it never stood there. */
    public int place(int type) {
        return places.indexOf(type);
    }

    /** How a stored image names a type: {@link #FIRST} for the first one, else its identity. */
    public int stored(int type) {
        return type == first() ? FIRST : type;
    }

    /** The type that a stored image names. */
    public int type(int stored) {
        return stored == FIRST ? first() : stored;
    }

    /** The name of a type that may stand there; the number of any other one. */
    public String name(int type) {
        for (NodeName each : types) {
            if (each.identity == type) {
                return each.name;
            }
        }
        return Integer.toString(type);
    }

    /** The declared text, with the types of its interfaces. */
    public String shown() {
        String all = types.stream().map(NodeName::name).collect(Collectors.joining(" | "));
        return text.equals(all) ? text : text + " (" + all + ")";
    }

    /** The names of the types, such as {@code Package or Virtual}. */
    public String names() {
        return types.stream().map(NodeName::name).collect(Collectors.joining(" or "));
    }

    /** An end in the keys of indexes: the place of its type in the upper half, its ordinal in the lower one. */
    public long key(int type, int ordinal) {
        return Lane.key(place(type), ordinal);
    }
}
