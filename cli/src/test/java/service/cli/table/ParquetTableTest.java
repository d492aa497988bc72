package service.cli.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.Seed;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/** Damaged Parquet files: every one gives rows or a fault that names it, and none an endless wait. */
final class ParquetTableTest {
    private static final int FILES = Integer.getInteger("service.parquet.files", 60);
    private static final int ROWS = 300;

    private final Random random;

    /** A file of pyarrow: a float, a decimal without digits after the point, bytes, a time of the day. */
    private static final String OF_PYARROW =
            "UEFSMRUAFSwVLCwVBBUAFQYVBhwAAAACAAAABAEAAAAAAAAIQAAAAAAAAAxAFQAVHhUeLBUEFQAVBhUGHAAAAAIAAAADAQD/////"
                    + "/////xUAFRgVGCwVBBUAFQYVBhwAAAACAAAAAwECAAAA/wAVABUUFRQsFQQVABUGFQYcAAAAAgAAAAMBQMM4ABUEGVw1ABgGc2No"
                    + "ZW1hFQgAFQolAhgFd2hvbGUAFQ4VEhUCGAdkZWNpbWFsJQoVABUoLFwVABUoAAAAFQwlAhgFYnl0ZXMAFQIlAhgEdGltZWx8Ehwc"
                    + "AAAAAAAWBBkcGUwmABwVChklBgAZGAV3aG9sZRUAFgQWUhZSJghJHBUAFQAVAgA8KQYZJgAEAAAAJgAcFQ4ZJQYAGRgHZGVjaW1h"
                    + "bBUAFgQWRBZEJlpJHBUAFQAVAgA8KQYZJgICAAAAJgAcFQwZJQYAGRgFYnl0ZXMVABYEFj4WPiaeAUkcFQAVABUCADwWBBkGGSYC"
                    + "AgAAACYAHBUCGSUGABkYBHRpbWUVABYEFjoWOibcAUkcFQAVABUCADwpBhkmAgIAAAAWjgIWBCYIFo4CACggcGFycXVldC1jcHAt"
                    + "YXJyb3cgdmVyc2lvbiAyNi4wLjEZTBwAABwAABwAABwAAABaAQAAUEFSMQ==";

    @TempDir
    private Path folder;

    ParquetTableTest(@Seed long seed) {
        random = new Random(seed);
    }

    private static byte[] file() throws IOException {
        ByteArrayOutputStream into = new ByteArrayOutputStream();
        List<PropertyType> types =
                List.of(PropertyType.STRING, PropertyType.I64, new PropertyType.ListOf(ScalarType.I32));
        try (ParquetWriter writer = new ParquetWriter(into, List.of("text", "number", "list"), types)) {
            for (int i = 0; i < ROWS; i++) {
                byte[] text = ("t" + i % 7).getBytes(StandardCharsets.UTF_8);
                writer.column(0).add(text, 0, text.length);
                if (i % 3 == 0) {
                    writer.column(1).addNull();
                } else {
                    writer.column(1).add(i * 1_000_003L);
                }
                writer.column(2).beginRow();
                writer.column(2).add(i);
                writer.column(2).add(-i);
                writer.endRow();
            }
        }
        return into.toByteArray();
    }

    @Test
    void damagedFilesAreFaults() throws IOException {
        byte[] whole = file();
        Path path = folder.resolve("T.parquet");
        assertThat(rows(path, whole)).isEqualTo(ROWS);
        int faults = 0;
        for (int i = 0; i < FILES; i++) {
            byte[] bytes = i % 5 == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            for (int j = random.nextInt(4); j >= 0 && i % 5 != 0; j--) {
                // Most of the damage goes where lengths and offsets are.
                int back = random.nextInt(random.nextBoolean() ? Math.min(400, bytes.length) : bytes.length);
                bytes[bytes.length - 1 - back] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                assertThat(rows(path, bytes)).isNotNegative();
            } catch (TableFault e) {
                assertThat(e).hasMessageStartingWith(path + " cannot be read as Parquet");
                faults++;
            }
        }
        assertThat(faults).isPositive();
    }

    private static long rows(Path path, byte[] bytes) throws IOException {
        Files.write(path, bytes);
        try (ParquetTable table = new ParquetTable(path, Duration.ofSeconds(5))) {
            while (table.next()) {
                for (int i = 0; i < table.cells(); i++) {
                    assertThat(table.shown(i)).isNotNull();
                }
            }
            return table.place();
        }
    }

    @Test
    void valuesComeBack() throws IOException {
        Path path = folder.resolve("T.parquet");
        Files.write(path, file());
        try (ParquetTable table = new ParquetTable(path, ParquetTable.PATIENCE)) {
            for (int i = 0; i < ROWS; i++) {
                assertThat(table.next()).isTrue();
                assertThat(table.cell(0, PropertyType.STRING)).isEqualTo(new Value.Text("t" + i % 7));
                assertThat(table.cell(1, PropertyType.I64))
                        .isEqualTo(i % 3 == 0 ? Value.NULL : new Value.Int(i * 1_000_003L));
                assertThat(table.cell(2, new PropertyType.ListOf(ScalarType.I64)))
                        .isEqualTo(new Value.ListOf(List.of(new Value.Int(i), new Value.Int(-i))));
            }
            assertThat(table.next()).isFalse();
        }
    }

    @Test
    void columnsOfOthersBecomeWhatTheyMean() throws IOException {
        Path path = folder.resolve("others.parquet");
        Files.write(path, Base64.getDecoder().decode(OF_PYARROW));
        try (ParquetTable table = new ParquetTable(path, ParquetTable.PATIENCE)) {
            assertThat(table.columns()).containsExactly("whole", "decimal", "bytes", "time");
            assertThat(table.next()).isTrue();
            assertThat(table.cell(0, PropertyType.I64)).isEqualTo(new Value.Int(3));
            assertThat(table.cell(1, PropertyType.U64)).isEqualTo(new Value.UInt(-1));
            assertThat(table.cell(2, new PropertyType.Scalar(ScalarType.BLOB)))
                    .isEqualTo(new Value.Text("base64:/wA="));
            assertThat(table.shown(2)).isEqualTo("base64:/wA=");
            assertThatThrownBy(() -> table.cell(2, PropertyType.STRING)).hasMessage("is no String");
            assertThat(table.cell(3, PropertyType.STRING)).isEqualTo(new Value.Text("01:02:00"));
            assertThat(table.next()).isTrue();
            assertThatThrownBy(() -> table.cell(0, PropertyType.I64)).hasMessage("is no I64");
        }
    }
}
