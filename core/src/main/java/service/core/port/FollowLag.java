package service.core.port;

/**
 * How far the state that a following process shows is behind the log of the process that writes.
 *
 * @param commits events of the log that the shown state does not have
 * @param seconds time since the first of them was made; while the log cannot be read, the time since it was read last,
 *     if that is longer; 0 when nothing is missing
 */
public record FollowLag(long commits, double seconds) {}
