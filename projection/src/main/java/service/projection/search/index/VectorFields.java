package service.projection.search.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;

/**
 * Chooses the vectors that get a graph of neighbours: those of types with so many entities that a comparison of all is
 * not wanted, as long as the heap is large enough to build it. A type that has one keeps it until it has lost half of
 * these entities. One thread.
 */
final class VectorFields implements EntityFeed.Fields {
    /** Merges hold a graph in memory: 32 neighbours of a node, with their lists. */
    static final long HEAP_BYTES = 256;

    private static final int HEAP_PART = 8;

    private final int least;
    private final long entitiesMax;
    private List<String> chosen = List.of();

    /** @param least a type with more entities gets a graph */
    VectorFields(int least) {
        this.least = least;
        this.entitiesMax = Runtime.getRuntime().maxMemory() / HEAP_PART / HEAP_BYTES;
    }

    @Override
    public boolean mayBeIn(String schema) {
        return schema.contains("Vector(");
    }

    @Override
    public List<IndexedField> of(GraphSession session, ReadPoint head) {
        List<IndexedField> fields = new ArrayList<>();
        try (GraphView view = session.view(head)) {
            long entities = 0;
            for (IndexedField field : IndexedField.vectors(view.catalog())) {
                long count = view.count(field.type());
                if (count > (chosen.contains(field.mark()) ? least / 2 : least) && entities + count <= entitiesMax) {
                    entities += count;
                    fields.add(field);
                }
            }
        }
        chosen =
                fields.stream().map(IndexedField::mark).filter(Objects::nonNull).toList();
        return fields;
    }
}
