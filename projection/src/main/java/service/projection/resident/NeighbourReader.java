package service.projection.resident;

import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.core.value.Direction;

/** Reads the neighbours of all nodes along a lane, and the edges to them when they are wanted. */
final class NeighbourReader extends BlockReader {
    private final Direction direction;
    private final int nearType;
    private final EntityColumn nodes = new EntityColumn();
    private final ExpandBatch found;
    private final int[] starts;
    private final int[] neighbours;
    private final @Nullable PackedInts edges;
    private final int[] distinct;
    private boolean anyParallel;
    private int size;

    NeighbourReader(Part part, int bound, boolean withEdges, GraphView view) {
        super(part, bound);
        direction = part.kind() == Part.Kind.OUT ? Direction.OUT : Direction.IN;
        nearType = view.catalog().lane(part.type()).near(direction);
        found = new ExpandBatch(withEdges);
        starts = new int[bound + 1];
        distinct = new int[bound];
        neighbours = new int[(int) view.count(part.type())];
        edges = withEdges ? new PackedInts(neighbours.length, edgeBound(part, view)) : null;
    }

    /** Heap bytes of the arrays of a block, at most; −1 when they would be too long. */
    static long bytes(Part part, int bound, boolean withEdges, GraphView view) {
        long count = view.count(part.type());
        if (count > Integer.MAX_VALUE - 8) {
            return -1;
        }
        return Integer.BYTES * (2L * bound + 1 + count)
                + DirtySet.bytes(bound)
                + (withEdges ? PackedInts.bytes(count, edgeBound(part, view)) : 0);
    }

    private static int edgeBound(Part part, GraphView view) {
        return view.ordinalBound(view.catalog().lane(part.type()).edgeType());
    }

    @Override
    int read(ResidentView view, int from, int end) {
        int to = (int) Math.min(end, (long) from + Column.CAPACITY);
        nodes.reset(to - from);
        for (int i = from; i < to; i++) {
            nodes.set(i - from, nearType, i, EntityColumn.NO_RECORD);
        }
        int node = from;
        int last = -1;
        starts[node] = size;
        try (GraphView.Expansion expansion = view.expand(part.type(), direction, nodes, to - from)) {
            while (expansion.next(found)) {
                // The count of edges includes those of nodes beyond the bound, so arrays never grow.
                if (size + found.size > neighbours.length) {
                    return -1;
                }
                System.arraycopy(found.neighbours, 0, neighbours, size, found.size);
                if (edges != null) {
                    edges.setAll(size, found.edges, found.size);
                }
                for (int i = 0; i < found.size; i++) {
                    int row = from + found.inputRows[i];
                    while (node < row) {
                        starts[++node] = size + i;
                        last = -1;
                    }
                    anyParallel |= found.neighbours[i] == last;
                    distinct[node] += found.neighbours[i] == last ? 0 : 1;
                    last = found.neighbours[i];
                }
                size += found.size;
            }
        }
        while (node < to) {
            starts[++node] = size;
        }
        return to;
    }

    @Override
    Block block() {
        return new Block.Neighbours(
                starts, neighbours, edges, anyParallel ? distinct : null, Block.Neighbours.some(starts));
    }
}
