package service.log.group;

import service.core.value.Ulid;

/**
 * The end of a log, which the next event continues.
 *
 * @param offset of the last event; the log has at least the genesis
 * @param hash of the last event
 * @param timeMicros of the last event
 * @param lastCommit the greatest commit id that the log has assigned: that of its last commit
 * @param nextIncarnation the number of the next branch
 */
public record LogTail(long offset, byte[] hash, long timeMicros, Ulid lastCommit, int nextIncarnation) {}
