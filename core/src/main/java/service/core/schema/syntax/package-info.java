/** The syntax of schemas: the parser with error recovery and the syntax tree. */
@NullMarked
package service.core.schema.syntax;

import org.jspecify.annotations.NullMarked;
