/**
 * The log of one graph on disk: its directory and lock, the table of events, and the state of cleanup. It may use
 * {@code group}, {@code lmdb} and {@code retain} of this module.
 */
@NullMarked
package service.log.format;

import org.jspecify.annotations.NullMarked;
