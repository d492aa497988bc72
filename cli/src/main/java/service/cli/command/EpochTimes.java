package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.io.PieceInputStream;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/**
 * Reads NDJSON records whose dates are days, and whose date-times are milliseconds, since 1970-01-01 in UTC, and writes
 * them as the text that a load takes. A line without such a number passes unchanged, as does one that is no record of
 * the schema: the load names its mistake. One thread; holds one line.
 */
final class EpochTimes extends PieceInputStream {
    private static final int BUFFER = 1 << 16;

    /** Days and milliseconds of the years 0000 to 9999, which the text can express. */
    private static final long FIRST_DAY = CalendarText.parseDate("0000-01-01");

    private static final long LAST_DAY = CalendarText.parseDate("9999-12-31");
    private static final long FIRST_MILLI = CalendarText.parseDateTime("0000-01-01T00:00:00Z");
    private static final long LAST_MILLI = CalendarText.parseDateTime("9999-12-31T23:59:59.999Z");

    private final InputStream records;
    private final Catalog catalog;
    private final byte[] buffer = new byte[BUFFER];
    private int from;
    private int to;

    EpochTimes(InputStream records, Catalog catalog) {
        this.records = records;
        this.catalog = catalog;
    }

    @Override
    protected void next() throws IOException {
        byte[] line = converted(nextLine());
        give(line, line.length);
    }

    /** A line with its line break; empty at the end. */
    private byte[] nextLine() throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        while (true) {
            if (from == to) {
                from = 0;
                to = Math.max(0, records.read(buffer, 0, buffer.length));
                if (to == 0) {
                    return whole.toByteArray();
                }
            }
            int end = from;
            while (end < to && buffer[end] != '\n') {
                end++;
            }
            boolean complete = end < to;
            int next = complete ? end + 1 : end;
            whole.write(buffer, from, next - from);
            from = next;
            if (complete) {
                return whole.toByteArray();
            }
        }
    }

    private byte[] converted(byte[] written) {
        ObjectNode entry = record(written);
        EntityType type = entry == null ? null : type(entry);
        if (entry == null || type == null || !(entry.get("data") instanceof ObjectNode data)) {
            return written;
        }
        boolean changed = false;
        for (Property property : type.properties()) {
            JsonNode value = data.get(property.name());
            JsonNode text = value == null ? null : text(value, property.type());
            if (text != null) {
                data.set(property.name(), text);
                changed = true;
            }
        }
        return changed ? (entry + "\n").getBytes(StandardCharsets.UTF_8) : written;
    }

    private static @Nullable ObjectNode record(byte[] written) {
        int end = written.length;
        while (end > 0 && written[end - 1] <= ' ') {
            end--;
        }
        try {
            return end == 0 ? null : Json.readObject(Arrays.copyOf(written, end), "the record");
        } catch (ServiceException malformed) {
            return null;
        }
    }

    private @Nullable EntityType type(ObjectNode entry) {
        String node = entry.path("type").textValue();
        String edge = entry.path("edge").textValue();
        return node != null ? catalog.node(node) : edge != null ? catalog.edge(edge) : null;
    }

    /** The value as text; null when it holds no number that is a time. */
    private static @Nullable JsonNode text(JsonNode value, PropertyType type) {
        return switch (type) {
            case PropertyType.Scalar scalar -> text(value, scalar.scalar());
            case PropertyType.ListOf list -> texts(value, list.item());
            default -> null;
        };
    }

    private static @Nullable JsonNode texts(JsonNode value, ScalarType item) {
        if (!(value instanceof ArrayNode items)) {
            return null;
        }
        boolean changed = false;
        for (int i = 0; i < items.size(); i++) {
            JsonNode text = text(items.get(i), item);
            if (text != null) {
                items.set(i, text);
                changed = true;
            }
        }
        return changed ? items : null;
    }

    private static @Nullable JsonNode text(JsonNode value, ScalarType type) {
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            return null;
        }
        long number = value.longValue();
        String text = null;
        if (type == ScalarType.DATE && number >= FIRST_DAY && number <= LAST_DAY) {
            text = CalendarText.date((int) number);
        } else if (type == ScalarType.DATETIME && number >= FIRST_MILLI && number <= LAST_MILLI) {
            text = CalendarText.dateTime(number);
        }
        return text == null ? null : JsonNodeFactory.instance.textNode(text);
    }

    @Override
    public void close() throws IOException {
        records.close();
    }
}
