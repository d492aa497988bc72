package service.cli.command;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Cuts NDJSON into batches of so many records. Blank lines belong to the batch around them, so that line numbers stay
 * what they are in the input. One thread.
 */
final class RecordBatches {
    /**
     * Some records in a row.
     *
     * @param firstRecord number of the first one in the input, from 1
     * @param linesBefore lines of the input before the batch
     */
    record Batch(long firstRecord, int records, long linesBefore, byte[] ndjson) {}

    private final InputStream input;
    private final int recordsMax;
    private long records;
    private long lines;
    private long bytes;

    RecordBatches(InputStream input, int recordsMax) {
        this.input = input;
        this.recordsMax = recordsMax;
    }

    /** Bytes of the input read so far. */
    long bytes() {
        return bytes;
    }

    /** Passes over records. */
    void skip(long count) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (records < count && readLine(line)) {
            lines++;
            records += isBlank(line) ? 0 : 1;
            line.reset();
        }
    }

    /** The next batch; one without records at the end. */
    Batch next() throws IOException {
        ByteArrayOutputStream batch = new ByteArrayOutputStream();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        long first = records + 1;
        long before = lines;
        int taken = 0;
        while (taken < recordsMax && readLine(line)) {
            lines++;
            taken += isBlank(line) ? 0 : 1;
            line.writeTo(batch);
            batch.write('\n');
            line.reset();
        }
        records += taken;
        return new Batch(first, taken, before, batch.toByteArray());
    }

    /** False at the end of the input. */
    private boolean readLine(ByteArrayOutputStream into) throws IOException {
        int next = input.read();
        if (next < 0) {
            return false;
        }
        while (next >= 0 && next != '\n') {
            into.write(next);
            bytes++;
            next = input.read();
        }
        bytes++;
        return true;
    }

    private static boolean isBlank(ByteArrayOutputStream line) {
        for (byte each : line.toByteArray()) {
            if (each != ' ' && each != '\t' && each != '\r') {
                return false;
            }
        }
        return true;
    }
}
