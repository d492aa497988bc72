package service.core.blob;

/**
 * A file of temporary bytes for one request. It needs no durability; its space is released when it is closed or when
 * the process ends.
 *
 * <p>Thread rule: one thread at a time.
 */
public interface StageFile extends AutoCloseable {
    /**
     * Writes bytes at an offset, which is at most the file's length.
     *
     * @throws service.core.error.ServiceException STORAGE_FULL when the disk cannot take them
     */
    void write(long at, byte[] bytes, int count);

    /**
     * Reads bytes that were written.
     *
     * @throws service.core.error.ServiceException STORAGE_FULL when the disk does not give them
     */
    void read(long at, byte[] into, int offset, int count);

    /** Releases the space. Idempotent. */
    @Override
    void close();

    /** Opens the file of a stage that needs one. Any thread. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens an empty file.
         *
         * @throws service.core.error.ServiceException STORAGE_FULL when it cannot be created
         */
        StageFile open();
    }
}
