package service.projection.query;

import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.projection.query.operator.BlockOperators;
import service.projection.query.operator.Sources;

/** The start of the pipeline of a block. */
final class BlockHead {
    final BlockOperators.@Nullable Marker marker;

    /** Set when the first node of the block is lowered. */
    Sources.@Nullable Outer rows;

    /** Slots of the outer rows that the block reads. */
    BitSet needed = new BitSet();

    BlockHead(BlockOperators.@Nullable Marker marker) {
        this.marker = marker;
    }

    Sources.Outer rows() {
        return Objects.requireNonNull(rows, "the block has no outer rows");
    }
}
