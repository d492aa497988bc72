package service.http.server;

import java.io.ByteArrayOutputStream;

/** A byte array stream that returns its array without a copy when the array is full. */
final class Bytes extends ByteArrayOutputStream {
    Bytes(int size) {
        super(size);
    }

    /** The content; not a copy when it fills the array. */
    byte[] exact() {
        return count == buf.length ? buf : toByteArray();
    }
}
