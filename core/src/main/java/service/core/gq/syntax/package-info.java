/**
 * The text of GQ: tokens, the recursive-descent parser, and the syntax tree with its places in the source. Knows no
 * schema. The grammar stands in {@code docs/gq-grammar.md}.
 */
@NullMarked
package service.core.gq.syntax;

import org.jspecify.annotations.NullMarked;
