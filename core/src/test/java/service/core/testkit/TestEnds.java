package service.core.testkit;

import java.util.ArrayList;
import java.util.List;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;

/** Ends of edge types that tests build by hand. The names of their node types are their identities. */
public final class TestEnds {
    private TestEnds() {}

    /** Ends of one node type each. */
    public static EntityType.Ends of(int source, int destination) {
        return new EntityType.Ends(
                EdgeEnd.of(source, Integer.toString(source)),
                EdgeEnd.of(destination, Integer.toString(destination)),
                0,
                EntityType.Cardinality.ANY);
    }

    /** The same ends with bounds for the edges of a source. */
    public static EntityType.Ends bounded(int source, int destination, EntityType.Cardinality cardinality) {
        EntityType.Ends ends = of(source, destination);
        return new EntityType.Ends(ends.source(), ends.destination(), ends.number(), cardinality);
    }

    /** Ends over several node types. */
    public static EntityType.Ends wide(int number, List<Integer> sources, List<Integer> destinations) {
        return new EntityType.Ends(wide(sources), wide(destinations), number, EntityType.Cardinality.ANY);
    }

    private static EdgeEnd wide(List<Integer> types) {
        List<EdgeEnd.NodeName> names = new ArrayList<>();
        types.forEach(type -> names.add(new EdgeEnd.NodeName(type, Integer.toString(type))));
        return new EdgeEnd(names, types, true, types.toString());
    }
}
