/** Followers of a log: each has its own position and receives the events after it. */
@NullMarked
package service.log.follow;

import org.jspecify.annotations.NullMarked;
