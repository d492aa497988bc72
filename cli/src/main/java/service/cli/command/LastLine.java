package service.cli.command;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Passes bytes on and keeps the last line. */
final class LastLine extends FilterOutputStream {
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean ended;

    LastLine(OutputStream into) {
        super(into);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        for (int i = offset; i < offset + length; i++) {
            if (ended) {
                line.reset();
                ended = false;
            }
            if (bytes[i] == '\n') {
                ended = true;
            } else {
                line.write(bytes[i]);
            }
        }
    }

    /** The bytes of the last line, without its end. */
    byte[] last() {
        return line.toByteArray();
    }
}
