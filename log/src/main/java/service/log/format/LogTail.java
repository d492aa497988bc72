package service.log.format;

import service.core.value.Ulid;

/**
 * The end of a log, which the next event continues.
 *
 * @param offset of the last event; there always is one, the genesis at least
 * @param hash of the last event
 * @param timeMicros of the last event
 * @param lastCommit the greatest id given by the log: that of its last commit
 * @param nextIncarnation the number that the next branch gets
 */
public record LogTail(long offset, byte[] hash, long timeMicros, Ulid lastCommit, int nextIncarnation) {}
