package service.cli.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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

    /** Commands that run at the same time take directories of their own; their copies must not stay for ever. */
    @Test
    void theCopiesOfAllButTheFirstDirectoryAreDeletedWithTheirUse() throws IOException {
        List<CacheDirectories.Place> places = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            CacheDirectories.Place place = CacheDirectories.take(cache, ROOT, "a");
            Files.writeString(Files.createDirectories(place.graph()).resolve("data.mdb"), "copy");
            places.add(place);
        }
        assertThat(copies()).hasSize(5);
        places.forEach(CacheDirectories.Place::close);
        assertThat(copies()).containsExactly(places.getFirst().graph().resolve("data.mdb"));
        try (CacheDirectories.Place first = CacheDirectories.take(cache, ROOT, "a");
                CacheDirectories.Place second = CacheDirectories.take(cache, ROOT, "a")) {
            assertThat(first.graph().resolve("data.mdb")).exists();
            Files.createDirectories(second.graph());
        }
    }

    private List<Path> copies() throws IOException {
        try (Stream<Path> files = Files.walk(cache)) {
            return files.filter(file -> file.endsWith("data.mdb")).toList();
        }
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
