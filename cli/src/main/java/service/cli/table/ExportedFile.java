package service.cli.table;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import service.core.schema.EntityType;
import service.log.lmdb.FileMask;

/** A file of an export that is being written. One thread. */
final class ExportedFile implements Closeable {
    /** A file ends when it has so many bytes. */
    private static final long BYTES_MAX = 500L << 20;

    private static final int BUFFER_BYTES = 1 << 16;

    final EntityType type;
    final ExportColumns columns;
    final TableWriter writer;
    private final ExportPlace place;
    private final String path;
    private final Path draft;
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
        OutputStream into = new DigestOutputStream(
                new BufferedOutputStream(
                        Channels.newOutputStream(Files.newByteChannel(
                                draft,
                                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                FileMask.file())),
                        BUFFER_BYTES),
                digest);
        writer = switch (format) {
            case csv -> new CsvRows(into, columns.names());
            case parquet -> new ParquetRows(into, columns.names(), columns.types());
        };
    }

    /** Counts rows that the writer has taken. */
    void count(int more) {
        rows += more;
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
