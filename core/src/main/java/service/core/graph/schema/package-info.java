/**
 * Changes the schema of a graph: reads the facts that a migration needs, and commits it. It may use {@code batch},
 * {@code budget}, {@code error}, {@code event}, {@code graph.check}, {@code graph.request}, {@code port},
 * {@code schema}, {@code schema.migrate} and {@code value} of this module.
 */
@NullMarked
package service.core.graph.schema;

import org.jspecify.annotations.NullMarked;
