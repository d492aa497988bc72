package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DiskReadsTest {
    private static final int BYTES = 16 << 20;
    private static final int PAGE_BYTES = 4_096;

    private final DiskReads reads = new DiskReads();

    @Test
    void seesThePagesThatThisThreadReadFromDiskSinceItAskedLast() throws Exception {
        // Not in the folder of temporary files, which may be in memory.
        Path file = Files.createTempFile(Path.of("target"), "pages", "");
        try {
            Files.write(file, new byte[BYTES]);
            evict(file);
            reads.getAsBoolean();
            assertThat(sum(file)).isZero();
            assertThat(reads.getAsBoolean()).isTrue();
            assertThat(sum(file)).isZero();
            assertThat(reads.getAsBoolean()).as("the pages are in memory now").isFalse();
        } finally {
            Files.delete(file);
        }
    }

    private static long sum(Path file) throws IOException {
        long sum = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            var bytes = channel.map(MapMode.READ_ONLY, 0, BYTES);
            for (int i = 0; i < BYTES; i += PAGE_BYTES) {
                sum += bytes.get(i);
            }
        }
        return sum;
    }

    /** Writes the file to disk and removes it from the page cache. */
    private static void evict(Path file) throws Exception {
        Process dd = new ProcessBuilder(
                        "dd", "of=" + file, "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none")
                .inheritIO()
                .start();
        assertThat(dd.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(dd.exitValue()).isZero();
    }
}
