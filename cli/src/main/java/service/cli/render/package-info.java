/** Prints answers as tables, JSON or CSV. */
@NullMarked
package service.cli.render;

import org.jspecify.annotations.NullMarked;
