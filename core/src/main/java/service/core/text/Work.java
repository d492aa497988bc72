package service.core.text;

/**
 * What reading a source, or evaluating its expressions, costs, told to the one who asked for it. Each method but the
 * last may throw, which ends the work. One thread.
 */
public interface Work {
    /** Nobody counts: sources of files, and short ones. */
    Work UNCOUNTED = new Work() {
        @Override
        public void steps(int count) {}

        @Override
        public void charge(long bytes) {}

        @Override
        public void release(long bytes) {}
    };

    /**
     * Counts work.
     *
     * @param count steps of ten to a hundred nanoseconds: a token, a part of an expression
     */
    void steps(int count);

    /** Counts one step. */
    default void step() {
        steps(1);
    }

    /** Called before memory is allocated that is not proportional to the source. */
    void charge(long bytes);

    /** Called when such memory is let go. */
    void release(long bytes);
}
