package service.log.commit;

import java.time.Duration;
import service.core.port.CommitMeter;

/**
 * Settings of the writer of a graph.
 *
 * @param queueCommandsMax commands that may wait; further ones are refused
 * @param groupCommandsMax commands made durable together
 * @param commitGroupMicros how long the first command of a group waits for others; 0 for no wait
 * @param spinMicros how long an idle writer spins before it sleeps
 * @param closeWait how long closing waits for the commands already taken
 * @param meter measures the commits
 */
public record WriterSettings(
        int queueCommandsMax,
        int groupCommandsMax,
        long commitGroupMicros,
        long spinMicros,
        Duration closeWait,
        CommitMeter meter) {
    public static final WriterSettings DEFAULT =
            new WriterSettings(4_096, 256, 0, 30, Duration.ofSeconds(60), CommitMeter.NONE);

    private static final long COMMIT_GROUP_MICROS_MAX = 1_000_000;
    private static final long SPIN_MICROS_MAX = 1_000;

    public WriterSettings {
        if (queueCommandsMax < 2
                || groupCommandsMax < 1
                || commitGroupMicros < 0
                || commitGroupMicros > COMMIT_GROUP_MICROS_MAX
                || spinMicros < 0
                || spinMicros > SPIN_MICROS_MAX) {
            throw new IllegalArgumentException("queue %d, group %d, %d µs of grouping, %d µs of spinning"
                    .formatted(queueCommandsMax, groupCommandsMax, commitGroupMicros, spinMicros));
        }
    }

    public WriterSettings withCommitGroupMicros(long micros) {
        return new WriterSettings(queueCommandsMax, groupCommandsMax, micros, spinMicros, closeWait, meter);
    }

    public WriterSettings withQueue(int commandsMax, int groupMax) {
        return new WriterSettings(commandsMax, groupMax, commitGroupMicros, spinMicros, closeWait, meter);
    }

    public WriterSettings withMeter(CommitMeter newMeter) {
        return new WriterSettings(
                queueCommandsMax, groupCommandsMax, commitGroupMicros, spinMicros, closeWait, newMeter);
    }
}
