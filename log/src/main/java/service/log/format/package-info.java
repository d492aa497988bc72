/** The log of one graph on disk: its directory and lock, the table of events, and the state of cleanup. */
@NullMarked
package service.log.format;

import org.jspecify.annotations.NullMarked;
