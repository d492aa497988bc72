/** Followers of a log: each has its own position and hears of what lies behind it. */
@NullMarked
package service.log.follow;

import org.jspecify.annotations.NullMarked;
