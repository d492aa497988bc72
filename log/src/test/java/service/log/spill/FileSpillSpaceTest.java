package service.log.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.budget.Spill;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

final class FileSpillSpaceTest {
    @TempDir
    Path directory;

    @Test
    void aSpillReturnsItsBytesAndDeletesItsFile() throws IOException {
        FileSpillSpace space = new FileSpillSpace(directory, 8 << 20);
        byte[] bytes = new byte[1_000_003];
        new Random(7).nextBytes(bytes);
        try (Spill spill = space.open()) {
            try (var files = Files.list(directory)) {
                assertThat(files).as("deleted as soon as it is open").isEmpty();
            }
            spill.append(new UnsafeBuffer(bytes), 0, 400_000);
            spill.append(new UnsafeBuffer(bytes), 400_000, 600_003);
            assertThat(spill.length()).isEqualTo(bytes.length);
            assertThat(space.used()).isEqualTo(bytes.length);
            DirectBuffer mapped = spill.map();
            byte[] read = new byte[bytes.length];
            mapped.getBytes(0, read);
            assertThat(read).isEqualTo(bytes);
        }
        assertThat(space.used()).isZero();
    }

    @Test
    void anEmptySpillIsMappedToAnEmptyBuffer() {
        try (Spill spill = new FileSpillSpace(directory, 1).open()) {
            assertThat(spill.map().capacity()).isZero();
        }
    }

    @Test
    void theByteLimitCountsAllSpillsOfTheProcess() {
        FileSpillSpace space = new FileSpillSpace(directory, 1_000);
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[600]);
        try (Spill two = space.open()) {
            try (Spill one = space.open()) {
                one.append(bytes, 0, 600);
                assertThatThrownBy(() -> two.append(bytes, 0, 600))
                        .isInstanceOfSatisfying(
                                ServiceException.class,
                                refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED));
            }
            two.append(bytes, 0, 600);
        }
        assertThat(space.used()).isZero();
    }

    /** A diff of 16 GiB has some two thousand runs open at the same time. */
    @Test
    void openSpillsHoldNoNativeMemory() {
        FileSpillSpace space = new FileSpillSpace(directory, 1 << 20);
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        List<Spill> open = new ArrayList<>();
        try {
            long before = direct.getMemoryUsed();
            for (int i = 0; i < 200; i++) {
                Spill spill = space.open();
                open.add(spill);
                spill.append(new UnsafeBuffer(new byte[100]), 0, 100);
            }
            assertThat(direct.getMemoryUsed() - before).isLessThan(2 << 20);
        } finally {
            open.forEach(Spill::close);
        }
    }

    @Test
    void anUnusableSpillDirectoryIsNamedInTheError() {
        FileSpillSpace space = new FileSpillSpace(directory.resolve("missing"), 1_000);
        assertThatThrownBy(space::open)
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STORAGE_FULL))
                .hasMessageContaining("is missing")
                .hasMessageContaining("SERVICE_SPILL_DIRECTORY")
                .hasMessageNotContaining(directory.toString());
    }

    @Test
    void whereNoFileCanBeMadeIsToldBeforeTheFirstIsNeeded() throws IOException {
        assertThat(FileSpillSpace.unusable(directory)).isNull();
        assertThat(directory).isEmptyDirectory();
        Path file = Files.createFile(directory.resolve("file"));
        for (Path bad : List.of(directory.resolve("missing"), file, Path.of("/proc"))) {
            assertThat(FileSpillSpace.unusable(bad)).as("%s", bad).isNotBlank().doesNotContain(directory.toString());
        }
    }
}
