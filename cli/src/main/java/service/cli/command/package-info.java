/** The commands, one class each. */
@NullMarked
package service.cli.command;

import org.jspecify.annotations.NullMarked;
