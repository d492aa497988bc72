package service.http.server;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Collects the arrays that are written, without copying them. The writer must not change them afterwards. */
final class Pieces extends OutputStream {
    private final List<ByteBuffer> pieces = new ArrayList<>();

    @Override
    public void write(int value) {
        pieces.add(ByteBuffer.wrap(new byte[] {(byte) value}));
    }

    @Override
    public void write(byte[] from, int offset, int length) {
        pieces.add(ByteBuffer.wrap(from, offset, length));
    }

    List<ByteBuffer> list() {
        return pieces;
    }
}
