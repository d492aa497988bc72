package service.projection.resident;

import org.jspecify.annotations.Nullable;
import service.core.port.GraphView;
import service.core.value.RoundedVector;
import service.core.value.Value;

/** The vectors of a block, of entities that are not dirty. */
record BlockVectors(DirtySet dirty, Block.Vectors block) implements GraphView.Vectors {
    @Override
    public boolean knows(int ordinal) {
        return dirty.isClean(ordinal);
    }

    @Override
    public float @Nullable [] items(int ordinal) {
        Value.Vector value = block.values()[ordinal];
        return value == null ? null : value.items();
    }

    @Override
    public @Nullable RoundedVector rounded(int ordinal) {
        return block.rounded()[ordinal];
    }

    @Override
    public double square(int ordinal) {
        return block.squares()[ordinal];
    }
}
