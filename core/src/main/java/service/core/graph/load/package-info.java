/**
 * Loads of NDJSON: records are read and sorted on the caller's thread and become one commit on the writer's. It may use
 * {@code graph.check}, {@code graph.branch} for the names of branches, {@code graph.read} for blobs, and
 * {@code graph.request}.
 */
@NullMarked
package service.core.graph.load;

import org.jspecify.annotations.NullMarked;
