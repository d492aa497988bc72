package service.projection.search.index;

import service.core.port.TextIndex;

/** What one step of a search has charged, to be given back together. One thread. */
final class Tab implements TextIndex.Payer, AutoCloseable {
    private final TextIndex.Payer payer;
    private long held;

    Tab(TextIndex.Payer payer) {
        this.payer = payer;
    }

    @Override
    public void examined(int count) {
        payer.examined(count);
    }

    @Override
    public void bytes(int length) {
        payer.bytes(length);
    }

    @Override
    public void charge(long bytes) {
        payer.charge(bytes);
        held += bytes;
    }

    @Override
    public void release(long bytes) {
        payer.release(bytes);
        held -= bytes;
    }

    @Override
    public void fills(int rows) {
        payer.fills(rows);
    }

    /** Leaves what is charged to the payer. */
    long leave() {
        long left = held;
        held = 0;
        return left;
    }

    @Override
    public void close() {
        payer.release(leave());
    }
}
