package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SlicePaceTest {
    /** Slices shrink until their commits fit the time limit, however much a unit of work costs to commit. */
    @Test
    void thePaceFindsTheLargestSliceWhoseCommitFitsItsTime() {
        for (int commitCost : new int[] {0, 1, 3, 10, 30}) {
            SlicePace pace = new SlicePace();
            int tooLong = 0;
            for (int slice = 0; slice < 1_000; slice++) {
                long work = pace.workNanos();
                long held = work + commitCost * work;
                tooLong += held > SlicePace.HOLD_NANOS ? 1 : 0;
                assertThat(held).isLessThan(2 * SlicePace.HOLD_NANOS);
                pace.held(held);
            }
            assertThat(tooLong).isLessThan(300);
            assertThat(pace.longestNanos()).isBetween(SlicePace.HOLD_NANOS / 2, 2 * SlicePace.HOLD_NANOS);
        }
    }

    @Test
    void thePaceStaysWithinItsBoundsOnSlowAndFastDisks() {
        SlicePace pace = new SlicePace();
        for (int slice = 0; slice < 100; slice++) {
            pace.held(SlicePace.HOLD_NANOS * 10);
        }
        assertThat(pace.workNanos()).isEqualTo(SlicePace.WORK_NANOS_MIN);
        for (int slice = 0; slice < 100; slice++) {
            pace.held(0);
        }
        assertThat(pace.workNanos()).isEqualTo(SlicePace.WORK_NANOS_MAX);
        pace.restart();
        assertThat(pace.longestNanos()).isZero();
    }
}
