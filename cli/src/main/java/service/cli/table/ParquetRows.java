package service.cli.table;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** A Parquet file of exported records. */
final class ParquetRows implements TableWriter {
    private final ParquetWriter writer;
    private final List<PropertyType> types;
    private final ScalarType[] items;
    private final boolean[] given;
    private byte[] utf8 = new byte[1 << 8];

    ParquetRows(OutputStream into, List<String> columns, List<PropertyType> types) throws IOException {
        writer = new ParquetWriter(into, columns, types);
        this.types = List.copyOf(types);
        items = types.stream().map(ParquetWriter::item).toArray(ScalarType[]::new);
        given = new boolean[items.length];
    }

    @Override
    public void put(int place, JsonParser value) throws IOException {
        ParquetColumn column = writer.column(place);
        given[place] = true;
        if (value.currentToken() == JsonToken.VALUE_NULL) {
            column.addNull();
        } else if (!column.isList) {
            scalar(column, items[place], value);
        } else if (value.nextToken() == JsonToken.END_ARRAY) {
            column.addEmpty();
        } else {
            column.beginRow();
            do {
                scalar(column, items[place], value);
            } while (value.nextToken() != JsonToken.END_ARRAY);
        }
    }

    private void scalar(ParquetColumn column, ScalarType type, JsonParser value) throws IOException {
        switch (type) {
            case STRING, BLOB -> {
                int length = encode(value);
                column.add(utf8, 0, length);
            }
            case BOOL -> column.add(value.getBooleanValue() ? 1 : 0);
            case I32, I64, U32 -> column.add(value.getLongValue());
            case U64 -> column.add(value.getBigIntegerValue().longValue());
            case F32 -> column.add(Float.floatToIntBits(value.getFloatValue()));
            case F64 -> column.add(Double.doubleToLongBits(value.getDoubleValue()));
            case DATE -> column.add(CalendarText.parseDate(value.getText()));
            case DATETIME -> column.add(CalendarText.parseDateTime(value.getText()));
        }
    }

    /** Adds the rows of a batch, whose columns are those of the file. */
    void add(ArrowMessages.Batch batch) throws IOException {
        ArrowRows rows = new ArrowRows(batch);
        for (int i = 0; i < types.size(); i++) {
            rows.next(types.get(i), writer.column(i));
        }
        writer.endRows(batch.rows());
    }

    /** Puts a text into the buffer; returns its length. */
    private int encode(JsonParser text) throws IOException {
        int length = text.getTextLength();
        char[] chars = text.getTextCharacters();
        int from = text.getTextOffset();
        if (length > utf8.length) {
            utf8 = new byte[2 * length];
        }
        for (int i = 0; i < length; i++) {
            char c = chars[from + i];
            if (c >= 0x80) {
                byte[] encoded = new String(chars, from, length).getBytes(StandardCharsets.UTF_8);
                if (encoded.length > utf8.length) {
                    utf8 = new byte[encoded.length];
                }
                System.arraycopy(encoded, 0, utf8, 0, encoded.length);
                return encoded.length;
            }
            utf8[i] = (byte) c;
        }
        return length;
    }

    @Override
    public void endRow() throws IOException {
        for (int i = 0; i < given.length; i++) {
            if (!given[i]) {
                writer.column(i).addNull();
            }
            given[i] = false;
        }
        writer.endRow();
    }

    @Override
    public long bytes() {
        return writer.bytes();
    }

    @Override
    public long bytesHeld() {
        return writer.bytesHeld();
    }

    @Override
    public void flush() throws IOException {
        writer.flush();
        writer.shrink();
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
