/** The interactive shell: what is typed, what it means, what may be typed next. */
@NullMarked
package service.cli.shell;

import org.jspecify.annotations.NullMarked;
