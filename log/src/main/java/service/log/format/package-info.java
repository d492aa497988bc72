/** The log of one graph on disk: its directory and lock, the table of events, the marks beside it. */
@NullMarked
package service.log.format;

import org.jspecify.annotations.NullMarked;
