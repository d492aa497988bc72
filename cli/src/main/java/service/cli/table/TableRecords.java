package service.cli.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.io.PieceInputStream;
import service.core.json.JsonWriter;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.Value;
import service.core.value.VisibleText;

/**
 * Files as the NDJSON records of a load ({@code docs/writes.md}), one a line, made while they are read. Every cell is
 * typed here, so that a mistake names its file, line and column. Holds one row. One thread.
 */
public final class TableRecords extends PieceInputStream {
    /** So many rows whose lines do not follow each other can be named again. */
    private static final int JUMPS_MAX = 1 << 20;

    private static final int CELL_SHOWN_MAX = 60;

    /** Records are made in groups of about so many bytes. */
    private static final int GROUP_BYTES = 1 << 15;

    private final Iterator<TableFile> files;
    private final TableTerms terms;
    private final JsonWriter json = new JsonWriter(new byte[1 << 12], this::append);
    private final List<Jump> jumps = new ArrayList<>();
    private byte[] group = new byte[2 * GROUP_BYTES];
    private int made;
    private @Nullable Source source;
    private long records;
    private @Nullable TableFault fault;

    /** A file that is being read. */
    private record Source(TableFile file, TableReader rows, TableColumns columns, Value[] values) {}

    /** From a record on, its place in the file is its number and {@code offset}. */
    private record Jump(long record, TableFile file, String placeName, long offset) {}

    /** @param files in the order in which they are loaded */
    public TableRecords(List<TableFile> files, TableTerms terms) {
        this.files = files.iterator();
        this.terms = terms;
    }

    private byte[] append(byte[] buffer, int length) {
        if (length > group.length - made) {
            group = Arrays.copyOf(group, Math.max(made + length, 2 * group.length));
        }
        System.arraycopy(buffer, 0, group, made, length);
        made += length;
        return buffer;
    }

    /** Why reading ended early; null when it did not. A failure to send records may come of it. */
    public @Nullable TableFault fault() {
        return fault;
    }

    /** The number of records so far. */
    public long records() {
        return records;
    }

    /** Where a record came from, such as {@code Person.csv line 7}; null where that is not known any more. */
    public @Nullable String place(long record) {
        for (int i = jumps.size() - 1; i >= 0; i--) {
            Jump jump = jumps.get(i);
            if (jump.record <= record) {
                boolean last = i == jumps.size() - 1 && jumps.size() == JUMPS_MAX;
                return last ? null : jump.file.path() + " " + jump.placeName + " " + (record + jump.offset);
            }
        }
        return null;
    }

    @Override
    protected void next() throws IOException {
        made = 0;
        if (fault == null) {
            fill();
        }
        if (fault != null && made == 0) {
            throw new IOException(fault.getMessage(), fault);
        }
        give(group, made);
    }

    /** Makes records. A fault comes after those before it. */
    private void fill() throws IOException {
        try {
            while (made < GROUP_BYTES && (source != null || open())) {
                Source now = Objects.requireNonNull(source);
                if (now.rows.next()) {
                    row(now);
                    json.flush();
                } else {
                    now.rows.close();
                    source = null;
                }
            }
        } catch (TableFault e) {
            fault = e;
        }
    }

    private boolean open() throws IOException {
        if (!files.hasNext()) {
            return false;
        }
        TableFile file = files.next();
        TableReader rows;
        try {
            rows = file.open(terms.csv());
        } catch (IOException e) {
            throw new TableFault(file.path() + " cannot be read: " + e.getMessage());
        }
        TableColumns columns = TableColumns.of(
                file.path().toString(), file.type(), rows.columns(), terms.names(), terms.ignoreExtra());
        source = new Source(file, rows, columns, new Value[columns.roles().size()]);
        return true;
    }

    private void row(Source from) throws IOException {
        String wrong = type(from);
        if (wrong != null) {
            RejectedRows rejected = terms.rejected();
            if (rejected == null) {
                throw new TableFault(
                        "%s %s %d%s".formatted(from.file.path(), from.rows.placeName(), from.rows.place(), wrong));
            }
            rejected.add(from.file, from.rows, wrong.substring(2));
            return;
        }
        records++;
        note(from);
        write(from);
    }

    private void note(Source from) {
        long offset = from.rows.place() - records;
        Jump last = jumps.isEmpty() ? null : jumps.getLast();
        if ((last == null || !last.file.equals(from.file) || last.offset != offset) && jumps.size() < JUMPS_MAX) {
            jumps.add(new Jump(records, from.file, from.rows.placeName(), offset));
        }
    }

    /** Types the cells. Returns what is wrong, to be written after the place of the row; null when nothing is. */
    private static @Nullable String type(Source from) {
        List<String> names = from.rows.columns();
        if (from.rows.cells() != names.size()) {
            return ": the row has %d cells, and the first line names %d columns"
                    .formatted(from.rows.cells(), names.size());
        }
        for (int i = 0; i < from.values.length; i++) {
            TableColumns.Role role = from.columns.roles().get(i);
            if (role == null) {
                continue;
            }
            Property property = role instanceof TableColumns.Role.Of(Property of) ? of : null;
            String wrong = null;
            try {
                from.values[i] = property == null ? from.rows.id(i) : from.rows.cell(i, property.type());
                boolean isNull = from.values[i] instanceof Value.Null;
                wrong = isNull && isRequired(role, property) ? "is required and has no value" : null;
            } catch (IllegalArgumentException e) {
                wrong = e.getMessage();
            }
            if (wrong != null) {
                // Some mistakes continue a sentence, others are one.
                String joint = wrong.startsWith("is ") || wrong.startsWith("does ") ? " " : ": ";
                return ", column `%s`: `%s`%s%s".formatted(names.get(i), cut(from.rows.shown(i)), joint, wrong);
            }
        }
        return null;
    }

    private static boolean isRequired(TableColumns.Role role, @Nullable Property property) {
        return property == null
                ? role instanceof TableColumns.Role.Fixed(String name)
                        && (name.equals(TableColumns.SOURCE) || name.equals(TableColumns.DESTINATION))
                : !property.nullable() && property.defaultValue() == null;
    }

    private static String cut(String cell) {
        return VisibleText.oneLine(cell.length() > CELL_SHOWN_MAX ? cell.substring(0, CELL_SHOWN_MAX) + "…" : cell);
    }

    private void write(Source from) {
        EntityType type = from.columns.type();
        boolean edge = type.kind() == EntityKind.EDGE;
        json.beginObject();
        json.field(edge ? "edge" : "type").string(type.name());
        if (edge) {
            end("from", fixed(from, TableColumns.SOURCE), fixed(from, TableColumns.SOURCE_TYPE));
            end("to", fixed(from, TableColumns.DESTINATION), fixed(from, TableColumns.DESTINATION_TYPE));
        }
        json.field("data").beginObject();
        String id = fixed(from, TableColumns.ID);
        if (id != null) {
            json.field("id").string(id);
        }
        for (int i = 0; i < from.values.length; i++) {
            if (from.columns.roles().get(i) instanceof TableColumns.Role.Of(Property property)) {
                property(property, from.values[i]);
            }
        }
        json.endObject().endObject().newline();
    }

    private void property(Property property, Value value) {
        if (!(value instanceof Value.Null)) {
            json.field(property.name()).value(value, property.type());
        } else if (property.nullable() && (terms.clears() || property.defaultValue() != null)) {
            json.field(property.name()).nullValue();
        }
    }

    private void end(String member, @Nullable String id, @Nullable String type) {
        json.field(member);
        if (type == null) {
            json.string(id);
        } else {
            json.beginObject().field("type").string(type).field("id").string(id).endObject();
        }
    }

    private static @Nullable String fixed(Source from, String name) {
        int at = from.columns.place(name);
        return at >= 0 && from.values[at] instanceof Value.Text text ? text.value() : null;
    }

    @Override
    public void close() throws IOException {
        if (source != null) {
            source.rows.close();
            source = null;
        }
    }
}
