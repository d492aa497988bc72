/** Loads of NDJSON: records are read and sorted on the caller's thread and become one commit on the writer's. */
@NullMarked
package service.core.graph.load;

import org.jspecify.annotations.NullMarked;
