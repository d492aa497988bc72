/** Changes the schema of a graph: reads the facts that a migration needs, and commits it. */
@NullMarked
package service.core.graph.schema;

import org.jspecify.annotations.NullMarked;
