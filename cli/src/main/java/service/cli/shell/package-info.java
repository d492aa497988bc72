/** The interactive shell: reads inputs, completes names, runs requests. */
@NullMarked
package service.cli.shell;

import org.jspecify.annotations.NullMarked;
