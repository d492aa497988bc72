/**
 * Checks whether the state after a write is allowed: types, cardinality, keys and uniqueness, over a sorted set of
 * changes. It may use {@code batch}, {@code budget}, {@code error}, {@code event}, {@code port}, {@code schema} and
 * {@code value} of this module.
 */
@NullMarked
package service.core.graph.check;

import org.jspecify.annotations.NullMarked;
