package service.cli.table;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * A CSV file (RFC 4180) in UTF-8, with or without a byte order mark; its first line names the columns. A cell has at
 * most {@value #CELL_CHARS_MAX} characters. Lines without any character are passed over.
 */
final class CsvTable implements TableReader {
    private static final int CELL_CHARS_MAX = 16 << 20;
    private static final int ROW_CHARS_MAX = 4 * CELL_CHARS_MAX;
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final String file;
    private final CsvOptions options;
    private final CellText texts;
    private final CsvReader<Row> reader;
    private final CloseableIterator<Row> rows;
    private final List<String> columns;
    private Row row;

    /** The characters of a row; the next row takes the same arrays. */
    private static final class Row extends AbstractBaseCsvCallbackHandler<Row> {
        private char[] chars = new char[1 << 10];
        private int[] ends = new int[16];
        private boolean[] quoted = new boolean[16];
        private int cells;
        private int used;
        private long line;

        @Override
        protected void handleBegin(long startingLineNumber) {
            line = startingLineNumber;
            cells = 0;
            used = 0;
        }

        @Override
        protected void handleField(int index, char[] from, int offset, int length, boolean isQuoted) {
            if (length > ROW_CHARS_MAX - used) {
                throw new CsvParseException("the row has more than " + ROW_CHARS_MAX + " characters");
            }
            if (used + length > chars.length) {
                chars = Arrays.copyOf(chars, Math.max(used + length, 2 * chars.length));
            }
            if (cells == ends.length) {
                ends = Arrays.copyOf(ends, 2 * cells);
                quoted = Arrays.copyOf(quoted, 2 * cells);
            }
            System.arraycopy(from, offset, chars, used, length);
            used += length;
            quoted[cells] = isQuoted;
            ends[cells++] = used;
        }

        @Override
        protected Row buildRecord() {
            return this;
        }

        String text(int cell) {
            int start = cell == 0 ? 0 : ends[cell - 1];
            return new String(chars, start, ends[cell] - start);
        }
    }

    /**
     * Opens a file and reads the names of its columns.
     *
     * @param file for messages
     */
    CsvTable(String file, InputStream content, CsvOptions options) throws IOException {
        this.file = file;
        this.options = options;
        this.texts = new CellText(options.dates());
        this.row = new Row();
        this.reader = CsvReader.builder()
                .fieldSeparator(options.delimiter())
                .allowExtraFields(true)
                .allowMissingFields(true)
                .maxBufferSize(CELL_CHARS_MAX)
                .build(row, text(content));
        this.rows = reader.iterator();
        if (!next()) {
            close();
            throw new TableFault(file + " is empty; its first line must name the columns");
        }
        columns = IntStream.range(0, row.cells)
                .mapToObj(row::text)
                .map(String::strip)
                .toList();
    }

    /** Refuses bytes that are not UTF-8. */
    private static Reader text(InputStream content) throws IOException {
        PushbackReader text = new PushbackReader(new InputStreamReader(
                content,
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT)));
        int first;
        try {
            first = text.read();
        } catch (CharacterCodingException e) {
            // The reader of rows reports it with its place.
            return new Reader() {
                @Override
                public int read(char[] into, int offset, int length) throws IOException {
                    throw e;
                }

                @Override
                public void close() throws IOException {
                    text.close();
                }
            };
        }
        if (first >= 0 && first != BYTE_ORDER_MARK) {
            text.unread(first);
        }
        return text;
    }

    @Override
    public List<String> columns() {
        return columns;
    }

    @Override
    public boolean next() throws IOException {
        try {
            if (!rows.hasNext()) {
                return false;
            }
            row = rows.next();
            return true;
        } catch (CsvParseException e) {
            throw fault(e);
        } catch (UncheckedIOException e) {
            throw fault(e);
        }
    }

    private TableFault fault(RuntimeException failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof CharacterCodingException) {
            return new TableFault(file + " is not UTF-8 after line " + row.line + "; save it as UTF-8");
        }
        if (cause instanceof IOException unread) {
            return new TableFault(file + " cannot be read after line " + row.line + ": " + unread.getMessage());
        }
        return new TableFault(file + " after line " + row.line + ": " + cause.getMessage());
    }

    @Override
    public long place() {
        return row.line;
    }

    @Override
    public String placeName() {
        return "line";
    }

    @Override
    public int cells() {
        return row.cells;
    }

    @Override
    public boolean isNull(int column) {
        return column >= row.cells || isNull(column, row.text(column));
    }

    private boolean isNull(int column, String text) {
        String nothing = options.nullText();
        return nothing == null ? text.isEmpty() && !row.quoted[column] : text.equals(nothing);
    }

    @Override
    public Value cell(int column, PropertyType type) {
        if (column >= row.cells) {
            return Value.NULL;
        }
        String text = row.text(column);
        return isNull(column, text) ? Value.NULL : texts.value(text, type);
    }

    @Override
    public String shown(int column) {
        return column < row.cells ? row.text(column) : "";
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
