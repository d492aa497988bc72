package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static service.core.testkit.SmallGraph.appending;

import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import service.core.blob.BlobIntake;
import service.core.blob.ExternalBases;
import service.core.blob.StagedBlobs;
import service.core.error.DamagedDataException;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.BlobStore;
import service.core.port.CommitLog;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;

/** The contract of {@link BlobStore}: bytes become durable with the commit that refers to them. */
public abstract class BlobStoreContract extends StorageContract {
    private static final int BYTES = 200_000;

    private static Value.ManagedBlob stage(StagedBlobs staged, byte[] bytes) {
        String text = "base64:" + Base64.getEncoder().encodeToString(bytes);
        return (Value.ManagedBlob) new BlobIntake(ExternalBases.NONE, staged).read(text, "the blob");
    }

    private void commit(StagedBlobs staged, Value.ManagedBlob blob) {
        Image after = Image.ofNode(PropertyRow.of(Map.of(SmallGraph.NAME, blob)));
        EntityChange change = new EntityChange(EntityKind.NODE, SmallGraph.CITY, "c", null, after);
        CommitLog.await(storage().log().submit(appending(SmallGraph.draft(branch("main"), List.of(change))), staged));
    }

    private static byte[] bytes(BlobStore blobs, Value.ManagedBlob blob) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[BlobStore.PIECE_BYTES];
        while (all.size() < blob.size()) {
            int count = blobs.read(blob, all.size(), piece);
            assertThat(count).isBetween(1, BlobStore.PIECE_BYTES);
            all.write(piece, 0, count);
        }
        return all.toByteArray();
    }

    @Test
    void bytesAreReadBackPieceByPieceAlsoAfterACrash() {
        byte[] bytes = new byte[BYTES];
        new java.util.Random(1).nextBytes(bytes);
        try (StagedBlobs staged = storage().blobs().stage()) {
            Value.ManagedBlob blob = stage(staged, bytes);
            commit(staged, blob);
            assertThat(bytes(storage().blobs(), blob)).isEqualTo(bytes);
            assertThat(bytes(under().afterCrash().blobs(), blob)).isEqualTo(bytes);
        }
    }

    @Test
    void bytesThatNoCommitRefersToAreNotKept() {
        try (StagedBlobs staged = storage().blobs().stage()) {
            Value.ManagedBlob blob = stage(staged, new byte[] {1, 2, 3});
            Value.ManagedBlob other = stage(staged, new byte[] {4});
            commit(staged, other);
            assertThatExceptionOfType(DamagedDataException.class)
                    .isThrownBy(() -> storage().blobs().read(blob, 0, new byte[3]))
                    .withMessageContaining(blob.hex());
        }
    }
}
