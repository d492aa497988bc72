package service.projection.resident;

import java.util.ArrayList;
import java.util.List;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.core.schema.Lane;
import service.core.schema.Property;

/** The heap that blocks need, for the choice of their limit. */
public final class ResidentSize {
    private ResidentSize() {}

    /**
     * Heap bytes of the blocks of everything in a view that is kept in blocks. Text properties with too many different
     * values for a block count as well, with two bytes an entity, and so do the edges of all neighbours.
     */
    public static long bytes(GraphView view) {
        long bytes = 0;
        for (EntityType type : types(view)) {
            int bound = view.ordinalBound(type.identity());
            bytes += size(new Part(Part.Kind.LIVE, type.identity(), 0, 0), bound, view);
            for (Property property : type.properties()) {
                bytes += size(new Part(Part.Kind.COLUMN, type.identity(), property.identity(), 0), bound, view);
            }
            if (type instanceof EntityType.EdgeType edge) {
                for (Lane lane : edge.lanes()) {
                    Part out = new Part(Part.Kind.OUT, lane.identity(), 0, 0);
                    Part in = new Part(Part.Kind.IN, lane.identity(), 0, 0);
                    bytes += size(out, view.ordinalBound(lane.source()), view);
                    bytes += size(in, view.ordinalBound(lane.destination()), view);
                }
            }
        }
        return bytes;
    }

    private static List<EntityType> types(GraphView view) {
        List<EntityType> types = new ArrayList<>(view.catalog().nodes());
        types.addAll(view.catalog().edges());
        return types;
    }

    private static long size(Part part, int bound, GraphView view) {
        return Math.max(0, BlockReader.bytes(part, bound, true, view));
    }
}
