/**
 * The commands, one class each. It may use {@code boot}, {@code client}, {@code log}, {@code render} and {@code shell}
 * of this module.
 */
@NullMarked
package service.cli.command;

import org.jspecify.annotations.NullMarked;
