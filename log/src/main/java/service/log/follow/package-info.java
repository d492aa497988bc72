/**
 * Followers of a log: each has its own position and hears of what lies behind it. In a process that only reads, a loop
 * looks for what another process has written. This package handles offsets only and reads no event.
 */
@NullMarked
package service.log.follow;

import org.jspecify.annotations.NullMarked;
