package service.core.graph.load;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.blob.BlobLifter;
import service.core.budget.RequestBudget;
import service.core.budget.SideWork;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.graph.read.Blobs;
import service.core.schema.Catalog;

/**
 * Reads the records of a load as their bytes arrive. The input is cut after line ends into blocks, and several blocks
 * are read at once, because decoding is the longest step of a load that needs no order. Results are taken in the order
 * of the blocks, so that the outcome, and of several refusals the one that is reported, is the same as when reading
 * line by line.
 *
 * <p>Blocks begin small and grow, so that the first lines of a slow sender are read soon. Memory in addition to the
 * records, all of it charged to the request: {@link #BLOCKS_AT_ONCE} blocks, and the longest line of each while it is
 * decoded, without its blobs, which are lifted out before. One thread calls; each block is {@link SideWork}.
 */
public final class LoadBlocks {
    private static final int BLOCK_BYTES_MIN = 16 << 10;

    /**
     * Less than half a region of G1 with a small heap. Longer arrays take regions of their own, and the garbage of a
     * few loads filled a heap of 256 MiB.
     */
    private static final int BLOCK_BYTES_MAX = 256 << 10;

    /**
     * Heap bytes of a long line while it is decoded, per byte. One long text needs six: the parser's buffer, the
     * string, and the row with the copy that it grew from. Many short members before the type, which are kept as
     * tokens, need twelve.
     */
    private static final long DECODING_BYTES_PER_BYTE = 12;

    private static final int ARRAY_MAX = Integer.MAX_VALUE - 8;
    private static final int BLOCKS_AT_ONCE = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 4);

    private final InputStream in;
    private final Catalog catalog;
    private final LoadMode mode;
    private final BlobIntake blobs;
    private final @Nullable BlobLifter lifter;
    private final int recordsMax;
    private final RequestBudget budget;
    private final ArrayDeque<Running> running = new ArrayDeque<>();
    private final Map<Integer, LoadType> types = new HashMap<>();
    private byte[] bytes;
    private int filled;
    private int line = 1;
    private int count;

    /**
     * A block that is read.
     *
     * @param reading reads it beside this thread; null when it has been read
     * @param charged bytes to release once it is read
     */
    private record Running(LoadReader reader, @Nullable SideWork reading, long charged) {}

    private LoadBlocks(
            InputStream in, Catalog catalog, LoadMode mode, BlobIntake blobs, int recordsMax, RequestBudget budget) {
        // When no type has a Blob, none is searched for.
        this.lifter = Blobs.mayOccur(catalog) ? new BlobLifter(in, blobs.staged()) : null;
        this.in = lifter == null ? in : lifter;
        this.catalog = catalog;
        this.mode = mode;
        this.blobs = blobs;
        this.recordsMax = recordsMax;
        this.budget = budget;
        this.bytes = block(BLOCK_BYTES_MIN);
    }

    /** A new block, charged before it is allocated. */
    private byte[] block(int length) {
        charge(length);
        return new byte[length];
    }

    private void charge(long more) {
        budget.memory().charge(more, "the load", "split it into smaller batches, or into shorter lines");
    }

    /**
     * Reads all records, sorted and checked for repetition.
     *
     * @param blobs receives the blobs among the values
     * @param recordsMax maximum number of records; more are refused with RESOURCE_LIMIT
     * @param budget charged for the records and the blocks
     * @throws ServiceException BAD_REQUEST beginning with the line of the first fault
     */
    static LoadBatch read(
            InputStream records,
            Catalog catalog,
            LoadMode mode,
            BlobIntake blobs,
            int recordsMax,
            RequestBudget budget) {
        LoadBlocks blocks = new LoadBlocks(records, catalog, mode, blobs, recordsMax, budget);
        blocks.readAll();
        return LoadBatch.of(catalog, mode, blocks.types.values());
    }

    private void readAll() {
        boolean last = false;
        while (!last) {
            budget.growInTurn();
            last = fillOrSettle();
            int end = last ? filled : endOfLines();
            if (end == 0 && !last) {
                grow();
                continue;
            }
            start(end, last);
            if (running.size() > BLOCKS_AT_ONCE) {
                take(running.removeFirst());
            }
        }
        settle();
    }

    private void grow() {
        byte[] longer = block((int) Math.min(2L * bytes.length, ARRAY_MAX));
        System.arraycopy(bytes, 0, longer, 0, filled);
        budget.memory().release(bytes.length);
        bytes = longer;
    }

    private void settle() {
        while (!running.isEmpty()) {
            take(running.removeFirst());
        }
    }

    /** When the input fails, a refusal of earlier lines is reported instead. */
    private boolean fillOrSettle() {
        try {
            return fill();
        } catch (RuntimeException fault) {
            settle();
            throw fault;
        }
    }

    /** Fills the block; true at the end of the input. */
    private boolean fill() {
        try {
            while (filled < bytes.length) {
                int n = in.read(bytes, filled, bytes.length - filled);
                if (n < 0) {
                    return true;
                }
                filled += n;
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The end of the last whole line; 0 when there is none. */
    private int endOfLines() {
        int end = filled;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    /** Starts reading the first bytes, and continues with the rest. */
    private void start(int end, boolean last) {
        byte[] block = bytes;
        LoadReader reader = new LoadReader(catalog, mode, line, blobs, lifter, budget);
        long decoding = DECODING_BYTES_PER_BYTE * longestLine(block, end);
        charge(decoding);
        ByteArrayInputStream lines = new ByteArrayInputStream(block, 0, end);
        long charged = block.length + decoding;
        if (last) {
            reader.read(lines, true, budget);
            running.addLast(new Running(reader, null, charged));
            return;
        }
        running.addLast(
                new Running(reader, SideWork.start(budget, beside -> reader.read(lines, false, beside)), charged));
        int rest = filled - end;
        bytes = block(Math.max(Math.min(2 * block.length, BLOCK_BYTES_MAX), rest + BLOCK_BYTES_MIN));
        System.arraycopy(block, end, bytes, 0, rest);
        filled = rest;
    }

    /** The length of the longest line in bytes; counts the lines of the block. */
    private int longestLine(byte[] block, int end) {
        int longest = 0;
        int start = 0;
        for (int i = 0; i < end; i++) {
            if (block[i] == '\n') {
                line++;
                longest = Math.max(longest, i - start);
                start = i + 1;
            }
        }
        return Math.max(longest, end - start);
    }

    private void take(Running block) {
        if (block.reading != null) {
            block.reading.await();
            block.reading.close();
        }
        LoadReader reader = block.reader;
        budget.memory().release(block.charged);
        if (count + reader.count() > recordsMax) {
            throw tooMany(reader);
        }
        ServiceException refusal = reader.refusal();
        if (refusal != null) {
            throw refusal;
        }
        count += reader.count();
        for (LoadType read : reader.types()) {
            LoadType known = types.putIfAbsent(read.type.identity(), read);
            if (known != null) {
                known.records.addAll(read.records);
            }
        }
    }

    private ServiceException tooMany(LoadReader reader) {
        int line = reader.types().stream()
                .flatMap(type -> type.records.stream())
                .mapToInt(LoadRecord::line)
                .sorted()
                .skip(recordsMax - count)
                .findFirst()
                .orElseThrow();
        return new ServiceException(
                ErrorCode.RESOURCE_LIMIT,
                "line " + line + ": a batch holds at most " + recordsMax + " records; split it",
                new ErrorDetail.ResourceLimit("batch_records", recordsMax, null));
    }
}
