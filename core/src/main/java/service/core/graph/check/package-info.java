/**
 * Checks whether the state after a write is allowed: types, cardinality, keys and uniqueness, over a sorted set of
 * changes. It uses no other package of {@code graph}, only the ports, the schema and values.
 */
@NullMarked
package service.core.graph.check;

import org.jspecify.annotations.NullMarked;
