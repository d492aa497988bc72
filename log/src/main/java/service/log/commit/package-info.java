/**
 * The single writer of a graph and its group commit. It writes through {@code format} and gives each event to a
 * {@code Projector}, which another module implements. It may use {@code format}, {@code group} and {@code lmdb} of this
 * module.
 */
@NullMarked
package service.log.commit;

import org.jspecify.annotations.NullMarked;
