/** Prints answers as tables, JSON or CSV. It uses no other package of this module. */
@NullMarked
package service.cli.render;

import org.jspecify.annotations.NullMarked;
