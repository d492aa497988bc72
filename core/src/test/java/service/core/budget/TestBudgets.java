package service.core.budget;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Budgets for tests, with spills on the heap that are counted. */
public final class TestBudgets implements SpillSpace {
    private int open;
    private long spilled;

    private final ProcessBudget process;

    public TestBudgets(long memoryBytes) {
        process = new ProcessBudget(new MemoryPool(memoryBytes), new ComputeShare(1), memoryBytes, this);
    }

    /** A budget without limits. */
    public static RequestBudget ample() {
        return new TestBudgets(1L << 30).process.open(() -> false);
    }

    public ProcessBudget process() {
        return process;
    }

    /** Spills that were not closed. */
    public int openSpills() {
        return open;
    }

    /** Bytes that were ever spilled. */
    public long spilledBytes() {
        return spilled;
    }

    @Override
    public void addReclaimer(MemoryPool.Reclaimer reclaimer) {}

    @Override
    public Spill open() {
        open++;
        return new Spill() {
            private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer();
            private int length;
            private boolean closed;

            @Override
            public void append(DirectBuffer from, int index, int count) {
                bytes.putBytes(length, from, index, count);
                length += count;
                spilled += count;
            }

            @Override
            public long length() {
                return length;
            }

            @Override
            public DirectBuffer map() {
                return new UnsafeBuffer(bytes, 0, length);
            }

            @Override
            public void detach() {}

            @Override
            public void close() {
                if (!closed) {
                    closed = true;
                    open--;
                }
            }
        };
    }
}
