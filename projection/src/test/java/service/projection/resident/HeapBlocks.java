package service.projection.resident;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;

/**
 * Blocks of a {@link HeapGraph}, made when they are first looked for. When they are to be incomplete, some are missing,
 * some end before the last entity, and some have dirty ordinals, for which they hold wrong values.
 */
public final class HeapBlocks implements BlockSource {
    private final HeapView tables;

    /** Gives long batches, as the tables do. */
    private final HeapView source;

    private final Random random;
    private final boolean whole;
    private final Map<Part, Optional<Kept>> made = new HashMap<>();

    private HeapBlocks(HeapView tables, HeapView source, Random random, boolean whole) {
        this.tables = tables;
        this.source = source;
        this.random = random;
        this.whole = whole;
    }

    /**
     * A view of a graph that reads blocks first.
     *
     * @param tables the view of the graph for all that blocks do not answer
     * @param whole whether the blocks are complete
     */
    @SuppressWarnings("MustBeClosedChecker") // a view of the heap holds nothing
    public static GraphView view(HeapGraph graph, HeapView tables, Random random, boolean whole) {
        return new ResidentView(tables, new HeapBlocks(tables, new HeapView(graph, Column.CAPACITY), random, whole));
    }

    @Override
    public @Nullable Kept find(Part.Kind kind, int type, int property) {
        return made.computeIfAbsent(new Part(kind, type, property, 0), this::make)
                .orElse(null);
    }

    @Override
    public @Nullable Kept findHops(Part.Kind kind, int lane, boolean withEdges) {
        Kept kept = find(kind, lane, 0);
        return kept == null || (withEdges && !kept.block().hasEdges()) ? null : kept;
    }

    @SuppressWarnings("MustBeClosedChecker") // a view of the heap holds nothing
    private Optional<Kept> make(Part part) {
        int bound = source.ordinalBound(
                switch (part.kind()) {
                    case OUT -> source.catalog().lane(part.type()).source();
                    case IN -> source.catalog().lane(part.type()).destination();
                    case LIVE, COLUMN -> part.type();
                });
        if (!whole) {
            bound = random.nextInt(3) == 0 ? 0 : random.nextInt(bound + 1);
        }
        ResidentView view = new ResidentView(source, new None(source));
        boolean withEdges = whole || random.nextBoolean();
        if (bound == 0 || BlockReader.bytesMax(part, bound, withEdges, view) < 0) {
            return Optional.empty();
        }
        BlockReader reader = BlockReader.of(part, bound, withEdges, view);
        boolean more = true;
        while (more) {
            more = reader.read(view, 1 + random.nextInt(4));
        }
        Block block = Objects.requireNonNull(reader.made());
        DirtySet dirty = new DirtySet(bound);
        if (!whole && random.nextBoolean()) {
            for (int i = 0; i < bound; i++) {
                if (random.nextInt(3) == 0) {
                    dirty.mark(i);
                    spoil(block, i);
                }
            }
        }
        return Optional.of(Kept.of(part, 0, 0, dirty, block, new Usage(0, 0)));
    }

    /** Makes what a block holds of an ordinal wrong. */
    private static void spoil(Block block, int ordinal) {
        switch (block) {
            case Block.Neighbours b -> {
                for (int i = b.starts()[ordinal]; i < b.starts()[ordinal + 1]; i++) {
                    b.nodes()[i] = 0;
                }
                long[] some = b.some();
                if (some != null) {
                    some[ordinal >>> 6] ^= 1L << ordinal;
                }
            }
            case Block.Live b -> b.words()[ordinal >>> 6] ^= 1L << ordinal;
            case Block.Longs b -> b.values()[ordinal] = 1;
            case Block.Doubles b -> b.values()[ordinal] = 0.5;
            case Block.Bools b -> b.values()[ordinal] = !b.values()[ordinal];
            case Block.Texts b -> b.codes()[ordinal] = Dictionary.NULL;
            case Block.Vectors b -> b.values()[ordinal] = null;
        }
    }

    @Override
    public void hit(Kept kept, int rows) {}

    @Override
    public void missed(Part.Kind kind, int type, int property, int entityType, int rows) {}

    @Override
    public void missedHops(Part.Kind kind, int lane, int nearType, boolean withEdges, int rows) {}

    @MustBeClosed
    @Override
    public GraphView.Scan tableScan(int type, int from) {
        return new ScanFrom(tables.scan(type), from);
    }

    /** A view that makes blocks reads none. */
    private record None(HeapView tables) implements BlockSource {
        @Override
        public @Nullable Kept find(Part.Kind kind, int type, int property) {
            return null;
        }

        @Override
        public @Nullable Kept findHops(Part.Kind kind, int lane, boolean withEdges) {
            return null;
        }

        @Override
        public void hit(Kept kept, int rows) {}

        @Override
        public void missed(Part.Kind kind, int type, int property, int entityType, int rows) {}

        @Override
        public void missedHops(Part.Kind kind, int lane, int nearType, boolean withEdges, int rows) {}

        @MustBeClosed
        @Override
        public GraphView.Scan tableScan(int type, int from) {
            return new ScanFrom(tables.scan(type), from);
        }
    }

    /** The rows of a scan from an ordinal on. */
    private record ScanFrom(GraphView.Scan all, int from) implements GraphView.Scan {
        @Override
        public int next(EntityColumn into) {
            int size = 0;
            for (int n = all.next(into); size == 0 && n > 0; n = size == 0 ? all.next(into) : 0) {
                for (int i = 0; i < n; i++) {
                    if (into.ordinals[i] >= from) {
                        into.set(size++, into.types[i], into.ordinals[i], into.records[i]);
                    }
                }
            }
            return size;
        }

        @Override
        public void close() {
            all.close();
        }
    }
}
