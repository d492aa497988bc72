package service.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.testkit.MemoryStageFile;
import service.core.value.Value;

final class BlobIntakeTest {
    private final AtomicInteger openFiles = new AtomicInteger();

    private BlobIntake intake() {
        return new BlobIntake(
                ExternalBases.of(List.of("s3://assets/a/")), StagedBlobs.in(() -> new MemoryStageFile(openFiles)));
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static String text(byte[] bytes) {
        return "base64:" + Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] read(StagedBlobs staged, Value.ManagedBlob blob) {
        byte[] bytes = new byte[(int) blob.size()];
        staged.read(blob, 0, bytes, bytes.length);
        return bytes;
    }

    /** Sizes near those of groups and pieces, and near the part that stays on the heap. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 24_575, 24_576, 24_577, 262_144, 262_145, 700_000})
    void keepsTheBytesUnderTheirDigest(int length) throws Exception {
        BlobIntake intake = intake();
        try (StagedBlobs staged = intake.staged()) {
            byte[] first = bytes(length, 1);
            byte[] second = bytes(77, 2);
            Value.ManagedBlob one = (Value.ManagedBlob) intake.read(text(first), "it");
            Value.ManagedBlob two = (Value.ManagedBlob) intake.read(text(second), "it");
            assertThat(one.sha256())
                    .isEqualTo(MessageDigest.getInstance("SHA-256").digest(first));
            assertThat(one.size()).isEqualTo(length);
            assertThat(read(staged, one)).isEqualTo(first);
            assertThat(read(staged, two)).isEqualTo(second);
            assertThat(intake.read(text(first), "again")).isEqualTo(one);
            assertThat(staged.bytes()).isEqualTo(length + 77L);
            assertThat(openFiles).hasValue(length + 77 > StagedBlobs.HEAP_BYTES_MAX ? 1 : 0);
        }
        assertThat(openFiles).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Q",
                "QQ",
                "QQ=",
                "QR==",
                "QUJ=",
                "QQ==QQ==",
                "QQ===",
                "=",
                "====",
                "Q===",
                "QUI",
                "QU I",
                "QUI\n",
                "QU-_",
                "QUä=",
                " QUI=",
                "QUI= ",
                "QUJDRA",
                "Q=Q=",
                "QUJDRB=="
            })
    void acceptsOnlyCanonicalBase64(String spelling) {
        assertThatThrownBy(() -> intake().read("base64:" + spelling, "`photo`"))
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
                .hasMessageStartingWith("`photo` is");
    }

    @Test
    void refusesMoreThanOneRequestMayBring() {
        BlobIntake intake = intake();
        try (StagedBlobs staged = intake.staged()) {
            byte[] whole = bytes(StagedBlobs.BYTES_MAX, 3);
            Value.ManagedBlob blob = (Value.ManagedBlob) intake.read(text(whole), "it");
            assertThatThrownBy(() -> intake.read("base64:QQ==", "it"))
                    .isInstanceOfSatisfying(
                            ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT));
            assertThat(read(staged, blob)).isEqualTo(whole);
        }
    }

    /** As the parsers of a load's blocks do while the lifter has a blob open. */
    @Test
    void keepsWholeBlobsWhileAnotherIsStillArriving() {
        BlobIntake intake = intake();
        try (StagedBlobs staged = intake.staged()) {
            StagedBlobs.Incoming coming = staged.begin();
            byte[] first = bytes(400_000, 4);
            coming.write(first, 100);
            byte[] aside = bytes(1_000, 5);
            Value.ManagedBlob two = (Value.ManagedBlob) intake.readAside(text(aside), "it");
            byte[] rest = java.util.Arrays.copyOfRange(first, 100, first.length);
            coming.write(rest, rest.length);
            Value.ManagedBlob one = coming.finish();
            assertThat(read(staged, one)).isEqualTo(first);
            assertThat(read(staged, two)).isEqualTo(aside);
            assertThat(staged.bytes()).isEqualTo(401_000);
            assertThatThrownBy(() -> intake.readAside("base64:QQ", "`photo`")).hasMessageStartingWith("`photo` is");
        }
    }

    @Test
    void acceptsCoveredReferencesAndNamesTheRemedyForOthers() {
        assertThat(intake().read("s3://assets/a/b", "it")).isEqualTo(new Value.ExternalBlob("s3://assets/a/b"));
        assertThatThrownBy(() -> intake().read("s3://assets/b", "`photo`"))
                .hasMessageContaining("`photo` refers to s3://assets")
                .hasMessageContaining("external_blobs.allow");
        assertThatThrownBy(() -> intake().read("cat.png", "`photo`")).hasMessageContaining("absolute URI");
    }

    @Test
    void describesWithoutKeeping() {
        byte[] bytes = "ada".getBytes(StandardCharsets.UTF_8);
        assertThat(((Value.ManagedBlob) BlobIntake.described(text(bytes), "it")).size())
                .isEqualTo(3);
        assertThat(BlobIntake.described("s3://anywhere/x", "it")).isEqualTo(new Value.ExternalBlob("s3://anywhere/x"));
    }
}
