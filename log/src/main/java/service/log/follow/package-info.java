/**
 * Followers of a log: each is told of the events after its own position. In a process that only reads, a loop polls for
 * the events that another process has written. This package handles offsets only and reads no event.
 */
@NullMarked
package service.log.follow;

import org.jspecify.annotations.NullMarked;
