/**
 * Checks whether the state after a write is allowed: types, cardinality, keys and uniqueness, over a sorted set of
 * changes.
 */
@NullMarked
package service.core.graph.check;

import org.jspecify.annotations.NullMarked;
