package service.cli.command;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Cuts NDJSON into batches of so many records. Blank lines belong to the batch around them, so that line numbers stay
 * what they are in the input. The input is read in blocks of {@value #BLOCK_BYTES} bytes. One thread.
 */
final class RecordBatches {
    static final int BLOCK_BYTES = 1 << 18;

    /**
     * Some records in a row.
     *
     * @param firstRecord number of the first one in the input, from 1
     * @param linesBefore lines of the input before the batch
     * @param ndjson whole lines, each with its line end
     */
    record Batch(long firstRecord, int records, long linesBefore, byte[] ndjson) {}

    private final InputStream input;
    private final int recordsMax;
    private final byte[] block = new byte[BLOCK_BYTES];
    private int at;
    private int filled;
    private boolean ended;

    /** Whether the line at which the input stands has begun, and whether it has a record. */
    private boolean lineBegun;

    private boolean lineHasRecord;
    private long records;
    private long lines;
    private long bytes;

    RecordBatches(InputStream input, int recordsMax) {
        this.input = input;
        this.recordsMax = recordsMax;
    }

    /** Bytes of the input that batches were made of, and those passed over. */
    long bytes() {
        return bytes;
    }

    /** Passes over records; returns how many of them there were. */
    long skip(long count) throws IOException {
        return take(count, OutputStream.nullOutputStream());
    }

    /** The next batch; one without records at the end. */
    Batch next() throws IOException {
        long first = records + 1;
        long before = lines;
        ByteArrayOutputStream batch = new ByteArrayOutputStream(BLOCK_BYTES);
        int taken = (int) take(recordsMax, batch);
        return new Batch(first, taken, before, batch.toByteArray());
    }

    /** Copies lines until they have so many records; returns how many they have. */
    private long take(long count, OutputStream into) throws IOException {
        long end = records + count;
        long first = records;
        while (records < end && fill()) {
            int from = at;
            while (at < filled && records < end) {
                step();
            }
            into.write(block, from, at - from);
            bytes += at - from;
        }
        if (ended && lineBegun) {
            into.write('\n');
            endLine();
        }
        return records - first;
    }

    /** Passes over the next byte. */
    private void step() {
        byte next = block[at++];
        if (next == '\n') {
            endLine();
            return;
        }
        lineBegun = true;
        if (next != ' ' && next != '\t' && next != '\r') {
            lineHasRecord = true;
            while (at < filled && block[at] != '\n') {
                at++;
            }
        }
    }

    private void endLine() {
        lines++;
        records += lineHasRecord ? 1 : 0;
        lineBegun = false;
        lineHasRecord = false;
    }

    /** Whether a byte is left. */
    private boolean fill() throws IOException {
        if (at == filled && !ended) {
            filled = Math.max(0, input.read(block));
            at = 0;
            ended = filled == 0;
        }
        return at < filled;
    }
}
