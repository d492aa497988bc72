/** The command line, and the only place that constructs the system. */
@NullMarked
package service.cli;

import org.jspecify.annotations.NullMarked;
