/**
 * The interactive shell: reads inputs, completes names, runs requests. It may use {@code client} and {@code render} of
 * this module.
 */
@NullMarked
package service.cli.shell;

import org.jspecify.annotations.NullMarked;
