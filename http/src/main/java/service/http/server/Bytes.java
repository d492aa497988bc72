package service.http.server;

import java.io.ByteArrayOutputStream;

/** A byte array stream that gives its array away when it was sized exactly. */
final class Bytes extends ByteArrayOutputStream {
    Bytes(int size) {
        super(size);
    }

    /** The content, without a copy when it fills the array. */
    byte[] exact() {
        return count == buf.length ? buf : toByteArray();
    }
}
