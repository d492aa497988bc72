/**
 * The immutable events of a graph's log, from which all other state follows, and their byte layout. Logs, feeds and
 * replays read the bytes in place.
 */
@NullMarked
package service.core.event;

import org.jspecify.annotations.NullMarked;
