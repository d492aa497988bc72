package service.log.retain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class RetentionTest {
    private static final long[] MARKS = {100, 0, Retention.EVERYTHING, 7};
    private static final Map<Integer, long[]> PINS = Map.of(0, new long[] {5, 40, 99}, 2, new long[] {60});

    private static final Retention RETENTION =
            Retention.NONE.marked(MARKS, PINS).based(new Retention.Base(120, "ab".repeat(32)), Retention.Phase.BASED);

    @Test
    void everyStateIsReadableBeforeTheFirstCleanup() {
        assertThat(Retention.NONE.isNone()).isTrue();
        assertThat(Retention.NONE.isReclaimed(3, 0)).isFalse();
        assertThat(Retention.NONE.isReadable(3, 0)).isTrue();
        assertThat(Retention.NONE.isNeeded(3, 0, 1)).isTrue();
    }

    @Test
    void aRetentionMarkReclaimsStatesAndAPinKeepsThem() {
        assertThat(RETENTION.isReclaimed(0, 99)).isTrue();
        assertThat(RETENTION.isReclaimed(0, 100)).isFalse();
        assertThat(RETENTION.isReclaimed(1, 0)).isFalse();
        assertThat(RETENTION.isReclaimed(2, 1_000)).isTrue();
        assertThat(RETENTION.isReclaimed(9, 0)).isFalse();
        assertThat(RETENTION.isReadable(0, 40)).isTrue();
        assertThat(RETENTION.isReadable(0, 41)).isFalse();
        assertThat(RETENTION.isReadable(0, 100)).isTrue();
        assertThat(RETENTION.isReadable(2, 60)).isTrue();
        assertThat(RETENTION.isReadable(2, 61)).isFalse();
    }

    @Test
    void anEntryIsNeededWhileSomeReadableStateSeesIt() {
        assertThat(RETENTION.isNeeded(0, 0, 5)).as("gone before the first pin").isFalse();
        assertThat(RETENTION.isNeeded(0, 5, 6)).as("seen by the pin at 5").isTrue();
        assertThat(RETENTION.isNeeded(0, 41, 99)).as("between two pins").isFalse();
        assertThat(RETENTION.isNeeded(0, 41, 100)).as("seen by the pin at 99").isTrue();
        assertThat(RETENTION.isNeeded(0, 99, 100)).isTrue();
        assertThat(RETENTION.isNeeded(3, 6, 7)).as("overwritten at the mark").isFalse();
        assertThat(RETENTION.isNeeded(3, 6, 8)).as("seen at the mark").isTrue();
        assertThat(RETENTION.isNeeded(2, 61, Long.MAX_VALUE))
                .as("of a lost branch")
                .isFalse();
        assertThat(RETENTION.isNeeded(2, 3, Long.MAX_VALUE)).as("pinned").isTrue();
    }

    @Test
    void aRetentionIsDecodedAsItWasEncoded() {
        Retention read = Retention.decode(RETENTION.encode());
        assertThat(read.takesTheSameAs(RETENTION)).isTrue();
        assertThat(read.base()).isEqualTo(RETENTION.base());
        assertThat(read.phase()).isEqualTo(Retention.Phase.BASED);
        assertThat(read.revision()).isEqualTo(RETENTION.revision());
        assertThat(read.encode()).isEqualTo(RETENTION.encode());
        assertThat(Retention.decode(Retention.NONE.encode()).isNone()).isTrue();
        assertThat(read.done().phase()).isEqualTo(Retention.Phase.DONE);
        assertThat(read.marked(MARKS, Map.of()).takesTheSameAs(read)).isFalse();
    }

    @Test
    void aRetentionWithAFlippedByteIsRejected() {
        byte[] whole = RETENTION.encode();
        for (int i = 0; i < whole.length; i++) {
            byte[] flipped = whole.clone();
            flipped[i] ^= 0x10;
            assertThatThrownBy(() -> Retention.decode(flipped))
                    .as("byte " + i)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
