/** The text of a schema: lexer, parser with error recovery, syntax tree, and what is wrong with a source. */
@NullMarked
package service.core.schema.syntax;

import org.jspecify.annotations.NullMarked;
