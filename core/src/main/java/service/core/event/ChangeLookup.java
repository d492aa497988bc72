package service.core.event;

/**
 * Finds the changes of a block for the entities of another event. Both are in the order of an event, so the search
 * continues where the one before ended: it doubles its steps until it has passed the entity, and then halves them. Two
 * blocks of equal length are compared in one pass. For the entities of one event. One thread.
 */
public final class ChangeLookup {
    private static final ChangeBlock.Stretch NONE = new ChangeBlock.Stretch(-1, 0, 0);

    private final ChangeBlock block;
    private final ChangeReader at;
    private ChangeBlock.Stretch stretch = NONE;

    /** The changes of the stretch before it precede all entities that are still to come. */
    private int from;

    public ChangeLookup(ChangeBlock block) {
        this.block = block;
        this.at = block.reader();
    }

    /**
     * The index of the change of an entity, or −1.
     *
     * @param wanted at a change of the entity; of one type, calls come in the order of ids
     */
    public int indexOf(ChangeReader wanted) {
        if (wanted.type() != stretch.type()) {
            ChangeBlock.Stretch found = block.stretch(wanted.type());
            stretch = found == null ? new ChangeBlock.Stretch(wanted.type(), 0, 0) : found;
            from = stretch.start();
        }
        int end = stretch.end();
        int step = 1;
        while (from + step <= end && order(from + step - 1, wanted) < 0) {
            from += step;
            step <<= 1;
        }
        int high = Math.min(from + step - 1, end);
        while (from < high) {
            int middle = (from + high) >>> 1;
            if (order(middle, wanted) < 0) {
                from = middle + 1;
            } else {
                high = middle;
            }
        }
        return from < end && order(from, wanted) == 0 ? from : -1;
    }

    private int order(int index, ChangeReader wanted) {
        block.moveTo(at, index);
        return ChangeBlock.compare(
                at.buffer(), at.idPosition(), at.idLength(), wanted.buffer(), wanted.idPosition(), wanted.idLength());
    }
}
