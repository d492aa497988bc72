/**
 * The log of the process: the format of its lines, and the thread that writes them to stderr. It may use {@code core}
 * and logback, and no other package of {@code cli}.
 */
@NullMarked
package service.cli.log;

import org.jspecify.annotations.NullMarked;
