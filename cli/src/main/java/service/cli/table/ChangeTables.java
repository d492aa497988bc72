package service.cli.table;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.Closeable;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.cli.table.TableExport.Format;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.CalendarText;
import service.core.value.EntityKind;

/**
 * Writes the blocks of a change feed into files of a folder, one for each type: {@code changes/TYPE.parquet}, with a
 * row for each change in the order of the feed. Further files of a type are {@code changes/TYPE-00001.parquet} and so
 * on.
 *
 * <p>The types take turns, so a file of each is unfinished: together they hold at most so many bytes of rows, and those
 * that hold most are written then. What each has beside its rows is small. One thread.
 */
public final class ChangeTables implements Closeable {
    private static final long HELD_BYTES_MAX = 64L << 20;
    private static final String FOLDER = "changes";

    private final ExportPlace place;
    private final Format format;
    private final Catalog catalog;
    private final BlobText blobs;
    private final long heldBytesMax;
    private final ArrayNode files = Json.object().putArray("files");

    /** The unfinished file of each type, in the order of their first changes. */
    private final Map<EntityType, ExportedFile> unfinished = new LinkedHashMap<>();

    /** About the bytes that the unfinished files hold. */
    private long held;

    /** How many files each type has so far. */
    private final Map<EntityType, Integer> parts = new HashMap<>();

    /** What a cell has of a Blob. */
    public interface BlobText {
        /**
         * The text of a cell.
         *
         * @param blob as the feed shows it
         * @param change that has it
         * @param commit whose state has it
         */
        String of(JsonNode blob, JsonNode change, String property, String commit);
    }

    /**
     * An export into a new folder.
     *
     * @param catalog the schema of all blocks that will come
     */
    public ChangeTables(ExportPlace place, Format format, Catalog catalog, BlobText blobs) {
        this(place, format, catalog, blobs, HELD_BYTES_MAX);
    }

    ChangeTables(ExportPlace place, Format format, Catalog catalog, BlobText blobs, long heldBytesMax) {
        this.heldBytesMax = heldBytesMax;
        this.place = place;
        this.format = format;
        this.catalog = catalog;
        this.blobs = blobs;
    }

    /** The files that are whole: each with its path in the folder, type, rows, bytes and SHA-256. */
    public ArrayNode files() {
        return files;
    }

    /**
     * Writes the changes of a block.
     *
     * @param logOffset of its commit; null where the caller may not see the commit
     */
    public void take(JsonNode block, @Nullable Long logOffset) throws IOException {
        JsonNode cause = block.path("cause");
        for (JsonNode change : block.path("changes")) {
            ExportedFile file = file(type(change));
            long before = file.bytesHeld();
            TableWriter writer = file.writer;
            ExportColumns columns = file.columns;
            put(writer, columns.fixed(ExportColumns.OPERATION), change.path("op"));
            put(writer, columns.fixed(ExportColumns.COMMIT), cause.path("graph_commit_id"));
            if (logOffset != null) {
                put(writer, columns.fixed(ExportColumns.OFFSET), Json.object().numberNode(logOffset));
            }
            put(writer, columns.fixed(ExportColumns.ACTOR), cause.path("actor_id"));
            long millis = Math.floorDiv(
                    CalendarText.parseMicros(cause.path("authored_at").asText()), 1_000);
            put(writer, columns.fixed(ExportColumns.TIME), TextNode.valueOf(CalendarText.dateTime(millis)));
            put(writer, columns.fixed(TableColumns.ID), change.path("id"));
            ends(file, change.path(change.has("after") ? "after" : "before").path("endpoints"));
            image(file, change, "before", cause.path("parent_commit_id").asText());
            image(file, change, "after", cause.path("graph_commit_id").asText());
            writer.endRow();
            file.count(1);
            if (file.bytesHeld() < before) {
                // A group of rows was written; the memory that it took belongs to all files.
                file.flush();
            }
            held += file.bytesHeld() - before;
            if (file.isFull()) {
                unfinished.remove(file.type);
                held -= file.bytesHeld();
                file.keep(files.addObject());
            } else if (held > heldBytesMax) {
                writeLargest();
            }
        }
    }

    private EntityType type(JsonNode change) throws IOException {
        String name = change.path("type").path("name").asText();
        boolean node = change.path("kind").asText().equals(EntityKind.NODE.wireName());
        EntityType type = node ? catalog.node(name) : catalog.edge(name);
        if (type == null) {
            throw new IOException("the feed has a type `" + name + "` that its schema has not");
        }
        return type;
    }

    private static void ends(ExportedFile file, JsonNode ends) throws IOException {
        if (file.type instanceof EntityType.EdgeType) {
            end(file, ends.path("from"), TableColumns.SOURCE, TableColumns.SOURCE_TYPE);
            end(file, ends.path("to"), TableColumns.DESTINATION, TableColumns.DESTINATION_TYPE);
        }
    }

    private static void end(ExportedFile file, JsonNode end, String id, String type) throws IOException {
        put(file.writer, file.columns.fixed(id), end.isObject() ? end.path("id") : end);
        if (end.isObject()) {
            put(file.writer, file.columns.fixed(type), end.path("type"));
        }
    }

    private void image(ExportedFile file, JsonNode change, String which, String commit) throws IOException {
        int moved = which.equals("after") ? file.columns.distance() : 0;
        for (Map.Entry<String, JsonNode> property :
                change.path(which).path("properties").properties()) {
            Integer column = file.columns.property(property.getKey());
            if (column == null) {
                throw new IOException("the feed has a property `" + property.getKey() + "` that its schema has not");
            }
            JsonNode value = property.getValue();
            put(
                    file.writer,
                    column + moved,
                    value.isObject() ? TextNode.valueOf(blobs.of(value, change, property.getKey(), commit)) : value);
        }
    }

    private static void put(TableWriter writer, int column, JsonNode value) throws IOException {
        if (!value.isMissingNode()) {
            try (JsonParser parser = value.traverse()) {
                parser.nextToken();
                writer.put(column, parser);
            }
        }
    }

    private ExportedFile file(EntityType type) throws IOException {
        ExportedFile file = unfinished.get(type);
        if (file == null) {
            int part = parts.merge(type, 1, Integer::sum) - 1;
            file = new ExportedFile(
                    place,
                    TableExport.path(FOLDER, type.name(), part, format),
                    type,
                    ExportColumns.ofChanges(type),
                    format);
            unfinished.put(type, file);
            held += file.bytesHeld();
        }
        return file;
    }

    /** Writes what the files hold that hold most, until half of the bound is left. */
    private void writeLargest() throws IOException {
        List<ExportedFile> largest = unfinished.values().stream()
                .sorted(Comparator.comparingLong(ExportedFile::bytesHeld).reversed())
                .toList();
        for (ExportedFile file : largest) {
            if (held > heldBytesMax / 2) {
                held -= file.bytesHeld();
                file.flush();
            }
        }
    }

    /** Ends the files; each of the types without changes gets one without rows. */
    public void finish(List<EntityType> types) throws IOException {
        for (EntityType type : types) {
            if (!parts.containsKey(type)) {
                file(type);
            }
        }
        for (ExportedFile file : unfinished.values()) {
            file.keep(files.addObject());
        }
        unfinished.clear();
    }

    @Override
    public void close() throws IOException {
        for (ExportedFile file : unfinished.values()) {
            file.close();
        }
    }
}
