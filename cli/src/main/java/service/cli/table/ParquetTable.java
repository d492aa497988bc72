package service.cli.table;

import dev.hardwood.InputFile;
import dev.hardwood.metadata.LogicalType;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.reader.RowReader;
import dev.hardwood.row.PqList;
import dev.hardwood.row.PqMap;
import dev.hardwood.row.PqStruct;
import dev.hardwood.schema.SchemaNode;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueConversion;

/**
 * A Parquet file. A column holds numbers, texts, dates, times or lists of them; what it is must fit the property.
 *
 * <p>A thread reads ahead, at most {@value #BATCHES_AHEAD} batches of {@value #BATCH_ROWS} rows. The library decodes
 * pages on threads too, and waits for them without end where one of them dies of a damaged file; a batch that does not
 * come for so long as {@link #PATIENCE} is therefore a fault of the file.
 */
final class ParquetTable implements TableReader {
    static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int BATCH_ROWS = 1024;
    private static final int BATCHES_AHEAD = 4;
    private static final long DAY_SECONDS = 86_400;

    /** The library tells its users on stderr which instructions of the processor it uses. */
    private static final Logger LIBRARY = Logger.getLogger("dev.hardwood");

    static {
        LIBRARY.setLevel(Level.WARNING);
    }

    /** What the library says of a codec that is not there. */
    private static final Pattern UNKNOWN_CODEC = Pattern.compile("Cannot read (\\w+)-compressed");

    private final Path path;
    private final Duration patience;
    private final ArrayBlockingQueue<Batch> ahead = new ArrayBlockingQueue<>(BATCHES_AHEAD);
    private final Thread reader;
    private final Head head;
    private Batch batch = new Batch(List.of(), null, false);
    private int at;
    private long row;

    /** The columns, and whether the integers of each are unsigned: the library gives their bits. */
    private record Head(List<String> columns, List<Boolean> unsigned) {}

    /**
     * Some rows.
     *
     * @param failure why there are no more; null where there is none
     * @param isLast whether the file ends with them
     */
    private record Batch(
            List<@Nullable Object[]> rows, @Nullable Throwable failure, boolean isLast) {}

    ParquetTable(Path path, Duration patience) throws IOException {
        this.path = path;
        this.patience = patience;
        CompletableFuture<Head> opened = new CompletableFuture<>();
        reader = Thread.ofPlatform().daemon().name("parquet").start(() -> read(opened));
        try {
            head = opened.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw fault(e);
        } catch (TimeoutException e) {
            reader.interrupt();
            throw fault(stuck());
        } catch (InterruptedException e) {
            reader.interrupt();
            throw interrupted();
        }
    }

    private static Exception stuck() {
        return new IOException("it is damaged, or the disk does not answer");
    }

    private static IOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted");
    }

    /** Reads the whole file. */
    private void read(CompletableFuture<Head> opened) {
        try (ParquetFileReader file = ParquetFileReader.open(InputFile.of(path));
                RowReader rows = file.rowReader()) {
            List<String> columns = new ArrayList<>();
            List<Boolean> unsigned = new ArrayList<>();
            for (SchemaNode node : file.getFileSchema().getRootNode().children()) {
                columns.add(node.name());
                unsigned.add(isUnsigned(node));
            }
            if (columns.isEmpty()) {
                // A damaged file may say that it has any number of rows without cells.
                throw new IOException("it has no columns");
            }
            opened.complete(new Head(columns, unsigned));
            boolean more = true;
            while (more) {
                List<@Nullable Object[]> some = new ArrayList<>(BATCH_ROWS);
                while (some.size() < BATCH_ROWS && (more = rows.hasNext())) {
                    rows.next();
                    @Nullable Object[] cells = new Object[columns.size()];
                    for (int i = 0; i < cells.length; i++) {
                        Object value = rows.isNull(i) ? null : rows.getValue(i);
                        cells[i] = value instanceof PqList list ? list.values() : value;
                    }
                    some.add(cells);
                }
                ahead.put(new Batch(some, null, !more));
            }
        } catch (InterruptedException e) {
            // Nothing waits for more.
        } catch (Throwable e) {
            // What damage does to a decoder is not known, so nothing may leave its caller waiting.
            if (!opened.completeExceptionally(e)) {
                try {
                    ahead.put(new Batch(List.of(), e, true));
                } catch (InterruptedException gone) {
                    // Nothing waits for more.
                }
            }
        }
    }

    private static boolean isUnsigned(SchemaNode node) {
        return switch (node) {
            case SchemaNode.PrimitiveNode leaf ->
                leaf.logicalType() instanceof LogicalType.IntType number && !number.isSigned();
            case SchemaNode.GroupNode group ->
                group.children().size() == 1 && isUnsigned(group.children().getFirst());
        };
    }

    private TableFault fault(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        Matcher packed = UNKNOWN_CODEC.matcher(reason);
        if (packed.lookingAt()) {
            reason = "its pages are packed with %s; write it with zstd, snappy or gzip".formatted(packed.group(1));
        }
        return new TableFault(
                "%s cannot be read as Parquet%s: %s".formatted(path, row == 0 ? "" : " after row " + row, reason));
    }

    @Override
    public List<String> columns() {
        return head.columns;
    }

    @Override
    public boolean next() throws IOException {
        at++;
        while (at >= batch.rows.size()) {
            if (batch.isLast) {
                return false;
            }
            try {
                batch = ahead.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw interrupted();
            }
            if (batch == null) {
                batch = new Batch(List.of(), null, true);
                throw fault(stuck());
            }
            if (batch.failure != null) {
                throw fault(batch.failure);
            }
            at = 0;
        }
        row++;
        return true;
    }

    @Override
    public long place() {
        return row;
    }

    @Override
    public String placeName() {
        return "row";
    }

    @Override
    public int cells() {
        return head.columns.size();
    }

    @Override
    public Value cell(int column, PropertyType type) {
        Object value = batch.rows.get(at)[column];
        return value == null ? Value.NULL : converted(value, type, head.unsigned.get(column));
    }

    @Override
    public boolean isNull(int column) {
        return batch.rows.get(at)[column] == null;
    }

    /** Integers are ids, too: their digits, as in a key. */
    @Override
    public Value id(int column) {
        Object value = batch.rows.get(at)[column];
        return switch (value) {
            case Long v -> new Value.Text(head.unsigned.get(column) ? Long.toUnsignedString(v) : Long.toString(v));
            case Integer v ->
                new Value.Text(head.unsigned.get(column) ? Integer.toUnsignedString(v) : Integer.toString(v));
            case null, default -> cell(column, PropertyType.STRING);
        };
    }

    private static Value converted(Object value, PropertyType type, boolean unsigned) {
        return switch (type) {
            case PropertyType.Scalar scalar -> scalar(value, scalar.scalar(), unsigned);
            case PropertyType.EnumOf words -> {
                Value word = scalar(value, ScalarType.STRING, false);
                if (!words.values().contains(((Value.Text) word).value())) {
                    throw new IllegalArgumentException("is not one of " + words);
                }
                yield word;
            }
            case PropertyType.ListOf list -> new Value.ListOf(items(value, list.item(), type, unsigned));
            case PropertyType.VectorOf vector ->
                ValueConversion.convert(new Value.ListOf(items(value, ScalarType.F32, type, unsigned)), vector);
            case PropertyType.AnyInteger any -> throw any.undeclared();
        };
    }

    private static List<Value> items(Object value, ScalarType item, PropertyType type, boolean unsigned) {
        if (!(value instanceof List<?> list)) {
            throw new IllegalArgumentException("is no " + type);
        }
        List<Value> items = new ArrayList<>(list.size());
        for (Object each : list) {
            items.add(scalar(each, item, unsigned));
        }
        return items;
    }

    private static Value scalar(@Nullable Object value, ScalarType type, boolean unsigned) {
        return switch (value) {
            case Boolean v when type == ScalarType.BOOL -> new Value.Bool(v);
            case String v when type == ScalarType.STRING || type == ScalarType.BLOB -> new Value.Text(v);
            case byte[] v when type == ScalarType.STRING && utf8(v) != null -> new Value.Text(shown(v));
            case byte[] v when type == ScalarType.BLOB -> new Value.Text(BlobIntake.text(v));
            case UUID v when type == ScalarType.STRING -> new Value.Text(v.toString());
            case LocalTime v when type == ScalarType.STRING -> new Value.Text(shown(v));
            case LocalDate v when type == ScalarType.DATE -> new Value.Date((int) day(v.toEpochDay()));
            case LocalDate v
            when type == ScalarType.DATETIME -> time(v.atStartOfDay().toInstant(ZoneOffset.UTC));
            case LocalDateTime v when type == ScalarType.DATETIME -> time(v.toInstant(ZoneOffset.UTC));
            case Instant v when type == ScalarType.DATETIME -> time(v);
            // pandas has integers as floats where a value is missing.
            case Double v
            when type.isNumeric() && !type.isFloat() && isWhole(v) -> number(new Value.Int(v.longValue()), type);
            case Float v when type.isFloat() -> real(v, type);
            case Double v when type.isFloat() -> real(v, type);
            case BigDecimal v when type.isFloat() -> real(v.doubleValue(), type);
            case BigDecimal v when type.isNumeric() && v.scale() <= 0 -> number(whole(v), type);
            case Long v when type.isNumeric() -> number(unsigned ? new Value.UInt(v) : new Value.Int(v), type);
            case Integer v
            when type.isNumeric() -> number(new Value.Int(unsigned ? Integer.toUnsignedLong(v) : v), type);
            case Short v when type.isNumeric() -> number(new Value.Int(unsigned ? Short.toUnsignedInt(v) : v), type);
            case Byte v when type.isNumeric() -> number(new Value.Int(unsigned ? Byte.toUnsignedInt(v) : v), type);
            case PqStruct v -> throw new IllegalArgumentException("is a struct, which no property holds");
            case PqMap v -> throw new IllegalArgumentException("is a map, which no property holds");
            case null, default -> throw new IllegalArgumentException("is no " + type.schemaName());
        };
    }

    /** Whether a float is an integer that it holds exactly, and no other one. */
    private static boolean isWhole(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1L << 53;
    }

    /** A decimal without digits after the point; one that no integer holds stays as it is refused: a real. */
    private static Value whole(BigDecimal value) {
        BigInteger integer = value.toBigInteger();
        int bits = integer.bitLength();
        return bits < Long.SIZE
                ? new Value.Int(integer.longValue())
                : bits == Long.SIZE && integer.signum() > 0
                        ? new Value.UInt(integer.longValue())
                        : new Value.Real(value.doubleValue());
    }

    /** The text that bytes are; null where they are none. */
    private static @Nullable String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static String shown(Object value) {
        return switch (value) {
            case byte[] bytes -> Objects.requireNonNullElseGet(utf8(bytes), () -> BlobIntake.text(bytes));
            // Its own text leaves out seconds that are none.
            case LocalTime time -> DateTimeFormatter.ISO_LOCAL_TIME.format(time);
            default -> value.toString();
        };
    }

    private static long day(long epochDay) {
        CalendarText.requireDay(epochDay);
        return epochDay;
    }

    private static Value time(Instant instant) {
        day(Math.floorDiv(instant.getEpochSecond(), DAY_SECONDS));
        return new Value.DateTime(instant.toEpochMilli());
    }

    private static Value number(Value value, ScalarType type) {
        try {
            return ValueConversion.convert(value, new PropertyType.Scalar(type));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("does not fit " + type.schemaName(), e);
        }
    }

    private static Value real(double value, ScalarType type) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("is no number that can be stored");
        }
        return ValueConversion.convert(new Value.Real(value), new PropertyType.Scalar(type));
    }

    @Override
    public String shown(int column) {
        return shown(Objects.requireNonNullElse(batch.rows.get(at)[column], ""));
    }

    @Override
    public void close() {
        reader.interrupt();
    }
}
