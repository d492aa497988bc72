/**
 * Followers of a log: each has its own position and hears of what lies behind it. It knows offsets only and reads no
 * event. It uses no other package of this module.
 */
@NullMarked
package service.log.follow;

import org.jspecify.annotations.NullMarked;
