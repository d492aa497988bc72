/**
 * The syntax of GQ: the recursive-descent parser and the syntax tree with positions in the source.
 * {@code docs/gq-grammar.md} holds the grammar. It may use {@code error}, {@code gq.plan}, {@code schema}, {@code text}
 * and {@code value} of this module.
 */
@NullMarked
package service.core.gq.syntax;

import org.jspecify.annotations.NullMarked;
