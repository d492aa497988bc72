/**
 * The state of cleanup of a log: what is reclaimed and what is kept. Cleanup in {@code projection} decides it. It uses
 * no other package of this module.
 */
@NullMarked
package service.log.retain;

import org.jspecify.annotations.NullMarked;
