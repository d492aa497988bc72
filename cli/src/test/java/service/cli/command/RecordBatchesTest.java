package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordBatchesTest {
    private static final int ROUNDS = 300;

    /** A stream that returns as few bytes as it likes, as a pipe does. */
    private static InputStream pipe(byte[] content, Random random) {
        return new ByteArrayInputStream(content) {
            @Override
            public synchronized int read(byte[] into, int at, int length) {
                return super.read(into, at, Math.min(length, 1 + random.nextInt(9)));
            }
        };
    }

    private static List<String> lines(Random random) {
        List<String> lines = new ArrayList<>();
        int count = random.nextInt(30);
        for (int i = 0; i < count; i++) {
            lines.add(
                    switch (random.nextInt(5)) {
                        case 0 -> " ".repeat(random.nextInt(3)) + (random.nextBoolean() ? "\r" : "\t");
                        case 1 -> "";
                        default -> " {" + "é".repeat(random.nextInt(20)) + i + "}";
                    });
        }
        return lines;
    }

    @Test
    void batchesHaveTheLinesAroundTheirRecords() throws IOException {
        long seed = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(seed + round);
            List<String> lines = lines(random);
            boolean endsInTheLine = !lines.isEmpty() && !lines.getLast().isEmpty() && random.nextBoolean();
            String text = String.join("\n", lines) + (lines.isEmpty() || endsInTheLine ? "" : "\n");
            byte[] input = text.getBytes(StandardCharsets.UTF_8);
            int max = 1 + random.nextInt(6);
            int skipped = random.nextInt(8);

            RecordBatches batches = new RecordBatches(pipe(input, random), max);
            batches.skip(skipped);
            int at = 0;
            int record = 0;
            while (at < lines.size() && record < skipped) {
                record += lines.get(at++).isBlank() ? 0 : 1;
            }
            boolean more = true;
            while (more) {
                StringBuilder wanted = new StringBuilder();
                int first = record;
                int before = at;
                while (at < lines.size() && record - first < max) {
                    wanted.append(lines.get(at)).append('\n');
                    record += lines.get(at++).isBlank() ? 0 : 1;
                }
                RecordBatches.Batch batch = batches.next();
                assertThat(new String(batch.ndjson(), StandardCharsets.UTF_8))
                        .as("seed %d, round %d", seed, round)
                        .isEqualTo(wanted.toString());
                assertThat(batch.records()).isEqualTo(record - first);
                assertThat(batch.firstRecord()).isEqualTo(first + 1);
                assertThat(batch.linesBefore()).isEqualTo(before);
                more = batch.records() > 0;
            }
            assertThat(batches.bytes()).isEqualTo(input.length);
        }
    }

    @Test
    void aLineMayBeLongerThanABlock() throws IOException {
        String line = "{" + "x".repeat(3 * RecordBatches.BLOCK_BYTES) + "}\n";
        RecordBatches batches =
                new RecordBatches(new ByteArrayInputStream((line + line).getBytes(StandardCharsets.US_ASCII)), 1);
        assertThat(new String(batches.next().ndjson(), StandardCharsets.US_ASCII))
                .isEqualTo(line);
        assertThat(new String(batches.next().ndjson(), StandardCharsets.US_ASCII))
                .isEqualTo(line);
        assertThat(batches.next().records()).isZero();
    }
}
