/**
 * The syntax of GQ: the recursive-descent parser and the syntax tree with positions in the source.
 * {@code docs/gq-grammar.md} holds the grammar.
 */
@NullMarked
package service.core.gq.syntax;

import org.jspecify.annotations.NullMarked;
