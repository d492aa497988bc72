package service.http.server;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Collects what is written without copying it: the writer leaves its arrays alone afterwards. */
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
