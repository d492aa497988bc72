/** Where the log lines of the process go: their format, and the thread that writes them to stderr. */
@NullMarked
package service.cli.log;

import org.jspecify.annotations.NullMarked;
