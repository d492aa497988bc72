package service.core.graph.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.blob.BlobIntake;
import service.core.blob.ExternalBases;
import service.core.blob.StagedBlobs;
import service.core.budget.TestBudgets;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.graph.GraphEngine;
import service.core.graph.TestGraph;
import service.core.testkit.Seed;

/** Inputs of many blocks: the outcome must be the same as when reading line by line. */
class LoadBlocksTest {
    private static final int LINES = 6_000;
    private static final int LIMIT = 2_000;

    /** The first two blocks and the beginning of the third. */
    private static final int FAULTY_LINES = 340;

    private static List<String> notes(long seed, int lines) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> records = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            records.add("{\"type\":\"Note\",\"data\":{\"id\":\"n%d\",\"text\":\"%s\"}}"
                    .formatted(i, "é".repeat(random.nextInt(60))));
        }
        return records;
    }

    private static final BlobIntake NO_BLOBS = new BlobIntake(ExternalBases.NONE, StagedBlobs.NONE);

    private static LoadBatch read(String text) {
        return LoadBlocks.read(
                new ByteArrayInputStream(text.getBytes(UTF_8)),
                TestGraph.catalog(),
                LoadMode.MERGE,
                NO_BLOBS,
                GraphEngine.BATCH_RECORDS_MAX_DEFAULT,
                TestBudgets.ample());
    }

    @Test
    void readsEveryRecordOnItsLine(@Seed long seed) {
        List<String> lines = notes(seed, LINES);
        LoadBatch batch = read(String.join("\n", lines));
        assertThat(batch.types).hasSize(1);
        List<LoadRecord> records = batch.types.getFirst().records;
        assertThat(records).hasSize(LINES);
        for (LoadRecord record : records) {
            assertThat(record.id()).isEqualTo("n" + (record.line() - 1));
        }
    }

    @Test
    void theLaterOfTwoRecordsWithOneIdRemains() {
        List<String> lines = notes(1, LINES);
        lines.set(LINES - 1, "{\"type\":\"Note\",\"data\":{\"id\":\"n0\",\"text\":\"last\"}}");
        List<LoadRecord> records = read(String.join("\n", lines)).types.getFirst().records;
        assertThat(records).hasSize(LINES - 1);
        assertThat(records.getFirst().line()).isEqualTo(LINES);
    }

    /** Every line in turn has the fault, so that it also occurs at the beginning and the end of each block. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\":\"Note\",\\n\"data\":{\"text\":\"x\"}}|continues after the end of its line",
                "{\"type\":\"Note\",\"data\":{\"text\":\"x\\ny\"}}|not valid JSON",
                "{\"type\":\"Nope\"}|unknown node type"
            })
    void reportsTheLineOfAFaultWhereverABlockEnds(String fault, String message) {
        List<String> good = notes(2, FAULTY_LINES);
        for (int at = 0; at < good.size(); at++) {
            List<String> lines = new ArrayList<>(good);
            lines.set(at, fault.replace("\\n", "\n"));
            lines.add("{\"type\":\"AlsoWrong\"}");
            assertThatThrownBy(() -> read(String.join("\n", lines)))
                    .hasMessageStartingWith("line " + (at + 1) + ": ")
                    .hasMessageContaining(message);
        }
    }

    @Test
    void oneLineMayBeLongerThanABlock() {
        List<String> lines = notes(3, 10);
        lines.set(5, "{\"type\":\"Note\",\"data\":{\"text\":\"" + "y".repeat(300_000) + "\"}}");
        assertThat(read(String.join("\n", lines)).types.getFirst().records).hasSize(10);
    }

    @Test
    void refusesTheRecordBeyondTheLimitAtItsLine() {
        String one = "{\"type\":\"Note\",\"data\":{\"text\":\"x\"}}\n";
        byte[] lines = ("\n" + one.repeat(LIMIT + 2)).getBytes(UTF_8);
        assertThatThrownBy(() -> LoadBlocks.read(
                        new ByteArrayInputStream(lines),
                        TestGraph.catalog(),
                        LoadMode.MERGE,
                        NO_BLOBS,
                        LIMIT,
                        TestBudgets.ample()))
                .hasMessageStartingWith("line " + (LIMIT + 2) + ": ")
                .isInstanceOfSatisfying(ServiceException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT);
                    assertThat(e.detail()).isInstanceOf(ErrorDetail.ResourceLimit.class);
                });
    }

    @Test
    void aRefusalBeforeABrokenInputIsReported() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("broken");
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                throw new IOException("broken");
            }
        };
        String lines = String.join("\n", notes(4, 1_000));
        assertThatThrownBy(() -> LoadBlocks.read(
                        new SequenceInputStream(new ByteArrayInputStream(("[]\n" + lines).getBytes(UTF_8)), broken),
                        TestGraph.catalog(),
                        LoadMode.MERGE,
                        NO_BLOBS,
                        GraphEngine.BATCH_RECORDS_MAX_DEFAULT,
                        TestBudgets.ample()))
                .hasMessage("line 1: a record must be a JSON object");
        assertThatThrownBy(() -> LoadBlocks.read(
                        new SequenceInputStream(new ByteArrayInputStream(lines.getBytes(UTF_8)), broken),
                        TestGraph.catalog(),
                        LoadMode.MERGE,
                        NO_BLOBS,
                        GraphEngine.BATCH_RECORDS_MAX_DEFAULT,
                        TestBudgets.ample()))
                .isInstanceOf(UncheckedIOException.class);
    }
}
