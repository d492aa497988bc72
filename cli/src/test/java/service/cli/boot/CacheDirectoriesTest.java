package service.cli.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.port.RootAddress.Bucket;

/** A copy is open once, and the first directory that is free is used again. */
final class CacheDirectoriesTest {
    private static final Bucket ROOT = new Bucket("bucket", "one");

    @TempDir
    Path cache;

    @Test
    void theGraphsOfARootShareADirectoryAndOneGraphIsOpenOnce() {
        try (CacheDirectories.Place a = CacheDirectories.take(cache, ROOT, "a");
                CacheDirectories.Place b = CacheDirectories.take(cache, ROOT, "b");
                CacheDirectories.Place again = CacheDirectories.take(cache, ROOT, "a");
                CacheDirectories.Place other = CacheDirectories.take(cache, new Bucket("bucket", "two"), "a")) {
            assertThat(b.graph().getParent()).isEqualTo(a.graph().getParent());
            assertThat(again.graph()).isNotEqualTo(a.graph());
            assertThat(other.graph().getParent())
                    .isNotIn(a.graph().getParent(), again.graph().getParent());
        }
    }

    @Test
    void aDirectoryIsUsedAgainWhenItIsFree() {
        CacheDirectories.Place first = CacheDirectories.take(cache, ROOT, "a");
        CacheDirectories.Place second = CacheDirectories.take(cache, ROOT, "a");
        first.close();
        first.close();
        try (CacheDirectories.Place third = CacheDirectories.take(cache, ROOT, "a")) {
            assertThat(third.graph()).isEqualTo(first.graph()).isNotEqualTo(second.graph());
        }
        second.close();
    }

    @Test
    void aCacheThatCannotBeWrittenNamesItsVariable() throws IOException {
        Path file = Files.createFile(cache.resolve("file"));
        assertThatThrownBy(() -> CacheDirectories.take(file, ROOT, "a"))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("SERVICE_CACHE_DIR")
                .hasMessageContaining(file.toString());
    }
}
