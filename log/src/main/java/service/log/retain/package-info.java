/** The state of cleanup of a log: what is reclaimed and what is kept. Cleanup in {@code projection} decides it. */
@NullMarked
package service.log.retain;

import org.jspecify.annotations.NullMarked;
