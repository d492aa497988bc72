package service.core.budget;

import org.agrona.DirectBuffer;

/** Bytes of one request that are not on the heap. One thread until it is mapped, then any thread reads. */
public interface Spill extends AutoCloseable {
    /**
     * Appends bytes.
     *
     * @throws service.core.error.ServiceException OVERLOADED when the spills of the process have reached their limit;
     *     STORAGE_FULL when the disk is full
     */
    void append(DirectBuffer from, int index, int length);

    /** The number of bytes appended. */
    long length();

    /**
     * All bytes, for reading; nothing may be appended afterwards. At most {@link Integer#MAX_VALUE} bytes.
     *
     * @return a buffer that is valid until {@link #close}; reading it later is undefined
     */
    DirectBuffer map();

    /** Takes the spill from the request that opened it, which closes it otherwise: from now on the caller does. */
    void detach();

    /** Releases the disk space. Idempotent. */
    @Override
    void close();
}
