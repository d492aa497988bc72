package service.cli.table;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.EntityKind;

/**
 * Takes exported records ({@code docs/writes.md}), which come type after type, and writes them into files of a folder:
 * {@code nodes/TYPE.parquet}, {@code edges/TYPE.parquet}; further files of a type are {@code TYPE-00001.parquet} and so
 * on. A type without records has a file without rows. Holds a block of records, and a group of rows of the file. One
 * thread.
 */
public final class TableExport extends OutputStream {
    private static final int BUFFER_BYTES = 1 << 16;

    /** The formats of files, by the ends of their names. */
    public enum Format {
        csv,
        parquet
    }

    private final ExportPlace place;
    private final Format format;
    private final Catalog catalog;
    private final ArrayNode files = Json.object().putArray("files");
    private final Set<EntityType> written = new HashSet<>();
    private byte[] records = new byte[BUFFER_BYTES];
    private int filled;
    private @Nullable ExportedFile current;

    /** The number of the current file among those of its type. */
    private int part;

    /** An export into a new folder. */
    public TableExport(ExportPlace place, Format format, Catalog catalog) {
        this.place = place;
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
        ExportedFile file = Objects.requireNonNull(current);
        file.writer.endRow();
        file.count(1);
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
        ExportedFile file = Objects.requireNonNull(current);
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            file.writer.put(file.columns.fixed(id), parser);
            return;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String column = parser.currentName().equals("id") ? id : type;
            parser.nextToken();
            file.writer.put(file.columns.fixed(column), parser);
        }
    }

    private void data(JsonParser parser) throws IOException {
        ExportedFile file = Objects.requireNonNull(current);
        boolean first = true;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            // The id is the first member.
            Integer column = first ? Integer.valueOf(file.columns.fixed(TableColumns.ID)) : file.columns.property(name);
            first = false;
            if (column == null) {
                throw new IOException("the export has a property `" + name + "` that its schema has not");
            }
            file.writer.put(column, parser);
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
                if (!columns.equals(Objects.requireNonNull(current).columns.names())) {
                    throw new IOException("the export of " + name + " has other columns than its schema");
                }
            }

            @Override
            public void rows(ArrowMessages.Batch batch) throws IOException {
                ExportedFile file = Objects.requireNonNull(current);
                ((ParquetRows) file.writer).add(batch);
                file.count(batch.rows());
                endFull(file);
            }
        });
    }

    /** Begins the next file of the type when this one is full. */
    private void endFull(ExportedFile file) throws IOException {
        if (file.isFull()) {
            endFile();
            current = open(file.type, part + 1);
        }
    }

    private ExportedFile open(EntityType type, int number) throws IOException {
        written.add(type);
        part = number;
        String folder = type.kind() == EntityKind.NODE ? "nodes" : "edges";
        return new ExportedFile(
                place, path(folder, type.name(), number, format), type, ExportColumns.ofEntities(type), format);
    }

    /** The path of a file: {@code nodes/Person.parquet}, then {@code nodes/Person-00001.parquet}. */
    static String path(String folder, String name, int part, Format format) {
        return folder + "/" + name + (part == 0 ? "" : "-%05d".formatted(part)) + "." + format;
    }

    private void endFile() throws IOException {
        ExportedFile file = current;
        if (file != null) {
            current = null;
            file.keep(files.addObject());
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
