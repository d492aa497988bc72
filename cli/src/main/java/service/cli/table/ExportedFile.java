package service.cli.table;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import service.core.schema.EntityType;

/** A file of an export that is being written. One thread. */
final class ExportedFile implements Closeable {
    /** A file ends when it has so many bytes. */
    private static final long BYTES_MAX = 500L << 20;

    final EntityType type;
    final ExportColumns columns;
    final TableWriter writer;
    private final ExportPlace place;
    private final String path;
    private final Path draft;
    private final DraftStream into;
    private final MessageDigest digest;
    private long rows;

    /** @param path in the place, with slashes */
    ExportedFile(ExportPlace place, String path, EntityType type, ExportColumns columns, TableExport.Format format)
            throws IOException {
        this.place = place;
        this.path = path;
        this.type = type;
        this.columns = columns;
        draft = place.draft(path);
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        into = new DraftStream(draft);
        OutputStream digested = new DigestOutputStream(into, digest);
        writer = switch (format) {
            case csv -> new CsvRows(digested, columns.names());
            case parquet -> new ParquetRows(digested, columns.names(), columns.types());
        };
    }

    /** Counts rows that the writer has taken. */
    void count(int more) {
        rows += more;
    }

    /** About the bytes of rows that are not in the file yet. */
    long bytesHeld() {
        return writer.bytesHeld() + into.held();
    }

    /** Writes what is held, and frees its memory. */
    void flush() throws IOException {
        writer.flush();
        into.flush();
    }

    boolean isFull() {
        return writer.bytes() >= BYTES_MAX;
    }

    /** Ends the file; describes it for the manifest. */
    void keep(ObjectNode described) throws IOException {
        writer.close();
        described
                .put("path", path)
                .put("kind", type.kind().wireName())
                .put("type", type.name())
                .put("rows", rows)
                .put("bytes", Files.size(draft))
                .put("sha256", HexFormat.of().formatHex(digest.digest()));
        place.keep(path);
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
