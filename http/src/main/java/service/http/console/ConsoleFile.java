package service.http.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** One file of the console. Its compressed form is made for the first client that takes it, and kept. Any thread. */
final class ConsoleFile {
    private final String type;
    private final byte[] bytes;
    private byte @Nullable [] compressed;

    /** @param type the value of {@code Content-Type} */
    ConsoleFile(String type, byte[] bytes) {
        this.type = type;
        this.bytes = bytes;
    }

    String type() {
        return type;
    }

    /** The bytes; not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    /** The bytes compressed with gzip; not to be changed. */
    synchronized byte[] compressed() {
        if (compressed == null) {
            ByteArrayOutputStream into = new ByteArrayOutputStream(bytes.length / 3 + 64);
            try (GZIPOutputStream gzip = new GZIPOutputStream(into)) {
                gzip.write(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            compressed = into.toByteArray();
        }
        return compressed;
    }
}
