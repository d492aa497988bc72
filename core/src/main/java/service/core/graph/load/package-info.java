/**
 * Loads of NDJSON: records are read and sorted on the caller's thread and become one commit on the writer's. It may use
 * {@code batch}, {@code blob}, {@code budget}, {@code error}, {@code event}, {@code graph.branch}, {@code graph.check},
 * {@code graph.read}, {@code graph.request}, {@code io}, {@code json}, {@code policy}, {@code port}, {@code schema} and
 * {@code value} of this module.
 */
@NullMarked
package service.core.graph.load;

import org.jspecify.annotations.NullMarked;
