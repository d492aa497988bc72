package service.cli.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.port.ConfigFiles.Fault;
import service.core.port.ConfigFiles.Folder;
import service.core.port.ConfigFiles.Found;
import service.core.port.ConfigFiles.Text;
import service.core.port.ConfigFiles.Unusable;

final class LocalConfigFilesTest {
    @TempDir
    Path scratch;

    private Found find(String path) {
        return new LocalConfigFiles(scratch.resolve("company")).find(path);
    }

    private static Fault fault(Found found) {
        return ((Unusable) found).fault();
    }

    @Test
    void findsFilesAndFolders() throws IOException {
        assertThat(find("cluster.yaml")).isInstanceOf(Unusable.class).asString().contains("there is no directory");
        Path queries = Files.createDirectories(scratch.resolve("company/queries"));
        Files.writeString(queries.resolve("b.gq"), "b");
        Files.writeString(queries.resolve("a.gq"), "a");
        assertThat(find("./queries/../queries/a.gq")).isEqualTo(new Text("queries/a.gq", "a"));
        assertThat(find("queries")).isEqualTo(new Folder("queries", List.of("queries/a.gq", "queries/b.gq")));
        assertThat(fault(find("queries/c.gq"))).isEqualTo(Fault.UNREADABLE);
    }

    @Test
    void refusesPathsThatLeaveTheDirectory() throws IOException {
        Path directory = Files.createDirectories(scratch.resolve("company"));
        Path outside = Files.writeString(scratch.resolve("outside.pg"), "node N {}");
        Files.createSymbolicLink(directory.resolve("link.pg"), outside);
        for (String path : List.of("../outside.pg", outside.toString(), "a/../../outside.pg", "link.pg")) {
            assertThat(fault(find(path))).as(path).isEqualTo(Fault.OUTSIDE);
        }
        assertThat(fault(find("a\0b"))).isEqualTo(Fault.UNREADABLE);
    }

    @Test
    void refusesFilesThatAreTooLargeOrNotText() throws IOException {
        Path directory = Files.createDirectories(scratch.resolve("company"));
        Files.writeString(directory.resolve("large.pg"), " ".repeat((1 << 20) + 1));
        Files.writeString(directory.resolve("full.pg"), " ".repeat(1 << 20));
        Files.write(directory.resolve("latin.pg"), new byte[] {(byte) 0xE9});
        assertThat(fault(find("large.pg"))).isEqualTo(Fault.TOO_LARGE);
        assertThat(find("full.pg")).isInstanceOf(Text.class);
        assertThat(find("latin.pg")).asString().contains("not UTF-8");
    }
}
