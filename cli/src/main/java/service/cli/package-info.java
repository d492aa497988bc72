/**
 * The command line, and the only place that constructs the system. It may use {@code client} and {@code command} of
 * this module.
 */
@NullMarked
package service.cli;

import org.jspecify.annotations.NullMarked;
