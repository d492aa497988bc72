/** How answers look on a terminal: tables, JSON, CSV. */
@NullMarked
package service.cli.render;

import org.jspecify.annotations.NullMarked;
