/**
 * The single writer of a graph and its group commit. It writes through {@code format} and gives each event to a
 * {@code Projector}, which another module implements.
 */
@NullMarked
package service.log.commit;

import org.jspecify.annotations.NullMarked;
