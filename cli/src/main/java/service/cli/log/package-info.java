/**
 * Where the log lines of the process go: their format, and the thread that writes them to stderr. It may use
 * {@code core} and logback, and no other package of {@code cli}.
 */
@NullMarked
package service.cli.log;

import org.jspecify.annotations.NullMarked;
