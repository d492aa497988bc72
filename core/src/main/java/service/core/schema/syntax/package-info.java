/**
 * The syntax of schemas: the parser with error recovery and the syntax tree. It may use {@code error}, {@code text} and
 * {@code value} of this module.
 */
@NullMarked
package service.core.schema.syntax;

import org.jspecify.annotations.NullMarked;
