package service.connect;

/** What a task shows by JMX. Any thread. */
public interface GraphTaskMXBean {
    /** Whether the last request was answered. */
    boolean isConnected();

    /** Whether a baseline is being taken. */
    boolean isSnapshotRunning();

    /** How many records of baselines were made. */
    long getSnapshotRecords();

    /** How many records Kafka has acknowledged. */
    long getAcknowledgedRecords();

    /** How many commits Kafka has acknowledged whole. */
    long getAcknowledgedCommits();

    /** The commit that Kafka has acknowledged last; empty before the first one. */
    String getLastCommitId();

    /**
     * How many commits of the branch Kafka has not acknowledged; −1 where it is not known. Beyond a thousand unread
     * commits, how far the log of the graph has come, which also has commits of other branches.
     */
    long getLagInCommits();

    /** How old the oldest of these commits is at most, in seconds; 0 where there is none, −1 where it is not known. */
    double getLagInSeconds();

    /** How many requests were without an answer, or refused for the moment. */
    long getRetries();

    /** How often a gap in the feed made a new baseline necessary. */
    long getGaps();

    /** Why the last request failed; empty after one that did not. */
    String getLastError();
}
