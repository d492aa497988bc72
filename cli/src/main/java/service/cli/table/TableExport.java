package service.cli.table;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ArrayNode;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.log.lmdb.FileMask;

/**
 * Takes exported records ({@code docs/writes.md}), which come type after type, and writes them into files of a folder:
 * {@code nodes/TYPE.parquet}, {@code edges/TYPE.parquet}; further files of a type are {@code TYPE-00001.parquet} and so
 * on. A type without records has a file without rows. Holds a block of records, and a group of rows of the file. One
 * thread.
 */
public final class TableExport extends OutputStream {
    /** A file ends when it has so many bytes. */
    private static final long FILE_BYTES_MAX = 500L << 20;

    private static final int BUFFER_BYTES = 1 << 16;

    /** The formats of files, by the ends of their names. */
    public enum Format {
        csv,
        parquet
    }

    private final Path folder;
    private final Format format;
    private final Catalog catalog;
    private final ArrayNode files = Json.object().putArray("files");
    private final Set<EntityType> written = new HashSet<>();
    private byte[] records = new byte[BUFFER_BYTES];
    private int filled;
    private @Nullable Current current;

    /** The file that is being written. */
    private static final class Current implements Closeable {
        final EntityType type;
        final Path path;
        final List<String> names = new ArrayList<>();
        final Map<String, Integer> places = new HashMap<>();
        final MessageDigest digest;
        final TableWriter writer;
        long rows;

        Current(EntityType type, Path path, Format format) throws IOException {
            this.type = type;
            this.path = path;
            List<PropertyType> types = new ArrayList<>();
            fixed(type).forEach(name -> {
                names.add(name);
                types.add(PropertyType.STRING);
            });
            for (Property property : type.properties()) {
                places.put(property.name(), names.size());
                names.add(property.name());
                types.add(property.type());
            }
            // A property may be called `id`; the id is then known as @id alone.
            for (int i = 0; i < fixed(type).size(); i++) {
                places.put(names.get(i), i);
            }
            try {
                digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
            OutputStream into = new DigestOutputStream(
                    new BufferedOutputStream(
                            Channels.newOutputStream(Files.newByteChannel(
                                    path,
                                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                    FileMask.file())),
                            BUFFER_BYTES),
                    digest);
            writer = switch (format) {
                case csv -> new CsvRows(into, names);
                case parquet -> new ParquetRows(into, names, types);
            };
        }

        private static List<String> fixed(EntityType type) {
            List<String> names = new ArrayList<>(List.of(TableColumns.ID));
            if (type instanceof EntityType.EdgeType edge) {
                names.addAll(List.of(TableColumns.SOURCE, TableColumns.DESTINATION));
                if (edge.source().wide()) {
                    names.add(TableColumns.SOURCE_TYPE);
                }
                if (edge.destination().wide()) {
                    names.add(TableColumns.DESTINATION_TYPE);
                }
            }
            return names;
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }

    /** An export into a folder that is there. */
    public TableExport(Path folder, Format format, Catalog catalog) {
        this.folder = folder;
        this.format = format;
        this.catalog = catalog;
    }

    /** The files so far: each with its path in the folder, type, rows, bytes and SHA-256. */
    public ArrayNode files() {
        return files;
    }

    /** Ends the last file, and writes files without rows for the other types. */
    public void finish(List<EntityType> types) throws IOException {
        parse();
        if (filled > 0) {
            throw new IOException("the export ends within a record");
        }
        endFile();
        for (EntityType type : types) {
            if (!written.contains(type)) {
                current = open(type, 0);
                endFile();
            }
        }
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        if (length > records.length - filled) {
            parse();
            if (length > records.length - filled) {
                records = Arrays.copyOf(records, Math.max(filled + length, 2 * records.length));
            }
        }
        System.arraycopy(from, offset, records, filled, length);
        filled += length;
    }

    /** Writes the whole records of the block. */
    private void parse() throws IOException {
        int end = filled;
        while (end > 0 && records[end - 1] != '\n') {
            end--;
        }
        if (end > 0) {
            try (JsonParser parser = Json.streamingFactory().createParser(records, 0, end)) {
                while (parser.nextToken() != null) {
                    record(parser);
                }
            }
            System.arraycopy(records, end, records, 0, filled - end);
            filled -= end;
        }
    }

    private void record(JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String member = parser.currentName();
            parser.nextToken();
            switch (member) {
                case "type" -> begin(catalog.node(parser.getText()), parser.getText());
                case "edge" -> begin(catalog.edge(parser.getText()), parser.getText());
                case "from" -> end(parser, TableColumns.SOURCE, TableColumns.SOURCE_TYPE);
                case "to" -> end(parser, TableColumns.DESTINATION, TableColumns.DESTINATION_TYPE);
                case "data" -> data(parser);
                default -> throw new IOException("the export has an unknown member `" + member + "`");
            }
        }
        Current file = Objects.requireNonNull(current);
        file.writer.endRow();
        file.rows++;
        endFull(file);
    }

    private void begin(@Nullable EntityType type, String name) throws IOException {
        if (type == null) {
            throw new IOException("the export has a type `" + name + "` that its schema has not");
        }
        if (current == null || !current.type.equals(type)) {
            endFile();
            current = open(type, 0);
        }
    }

    private void end(JsonParser parser, String id, String type) throws IOException {
        Current file = Objects.requireNonNull(current);
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            file.writer.put(Objects.requireNonNull(file.places.get(id)), parser);
            return;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String column = parser.currentName().equals("id") ? id : type;
            parser.nextToken();
            file.writer.put(Objects.requireNonNull(file.places.get(column)), parser);
        }
    }

    private void data(JsonParser parser) throws IOException {
        Current file = Objects.requireNonNull(current);
        boolean first = true;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            // The id is the first member.
            Integer place = file.places.get(first ? TableColumns.ID : name);
            first = false;
            if (place == null) {
                throw new IOException("the export has a property `" + name + "` that its schema has not");
            }
            file.writer.put(place, parser);
        }
    }

    /** Takes the Arrow streams of an export of types, as Parquet only. Closing it fails where they are not whole. */
    public OutputStream streams() {
        return new ArrowMessages(new ArrowMessages.Receiver() {
            @Override
            public void begin(Map<String, String> metadata, List<String> columns) throws IOException {
                String name = String.valueOf(metadata.get("type"));
                boolean node = EntityKind.NODE.wireName().equals(metadata.get("kind"));
                TableExport.this.begin(node ? catalog.node(name) : catalog.edge(name), name);
                if (!columns.equals(Objects.requireNonNull(current).names)) {
                    throw new IOException("the export of " + name + " has other columns than its schema");
                }
            }

            @Override
            public void rows(ArrowMessages.Batch batch) throws IOException {
                Current file = Objects.requireNonNull(current);
                ((ParquetRows) file.writer).add(batch);
                file.rows += batch.rows();
                endFull(file);
            }
        });
    }

    /** Begins the next file of the type when this one is full. */
    private void endFull(Current file) throws IOException {
        if (file.writer.bytes() >= FILE_BYTES_MAX) {
            endFile();
            current = open(file.type, 1);
        }
    }

    private Current open(EntityType type, int part) throws IOException {
        boolean node = type.kind() == EntityKind.NODE;
        Path within = Files.createDirectories(folder.resolve(node ? "nodes" : "edges"));
        int number = part;
        Path path = path(within, type, number);
        while (Files.exists(path)) {
            path = path(within, type, ++number);
        }
        written.add(type);
        return new Current(type, path, format);
    }

    private Path path(Path within, EntityType type, int number) {
        return within.resolve(type.name() + (number == 0 ? "" : "-%05d".formatted(number)) + "." + format);
    }

    private void endFile() throws IOException {
        Current file = current;
        if (file != null) {
            current = null;
            file.close();
            files.addObject()
                    .put("path", folder.relativize(file.path).toString().replace('\\', '/'))
                    .put("kind", file.type.kind().wireName())
                    .put("type", file.type.name())
                    .put("rows", file.rows)
                    .put("bytes", Files.size(file.path))
                    .put("sha256", HexFormat.of().formatHex(file.digest.digest()));
        }
    }

    @Override
    public void close() throws IOException {
        if (current != null) {
            current.close();
            current = null;
        }
    }
}
