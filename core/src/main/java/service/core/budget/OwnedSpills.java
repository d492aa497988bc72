package service.core.budget;

import org.agrona.DirectBuffer;

/** The spills of one request: each is closed with the request, if it was not closed before. */
record OwnedSpills(SpillSpace space, Belongings owner) implements SpillSpace {
    @Override
    public Spill open() {
        Owned spill = new Owned(space.open(), owner);
        owner.add(spill);
        return spill;
    }

    @Override
    public long used() {
        return space.used();
    }

    @Override
    public void addReclaimer(MemoryPool.Reclaimer reclaimer) {
        space.addReclaimer(reclaimer);
    }

    /** A class, because two spills are never equal. */
    private static final class Owned implements Spill {
        private final Spill spill;
        private final Belongings owner;

        Owned(Spill spill, Belongings owner) {
            this.spill = spill;
            this.owner = owner;
        }

        @Override
        public void append(DirectBuffer from, int index, int length) {
            spill.append(from, index, length);
        }

        @Override
        public long length() {
            return spill.length();
        }

        @Override
        public DirectBuffer map() {
            return spill.map();
        }

        @Override
        public void detach() {
            owner.remove(this);
        }

        @Override
        public void close() {
            owner.remove(this);
            spill.close();
        }
    }
}
