/**
 * Runs compiled reads: plans them, keeps the plans, lowers a plan to a pipeline of operators and describes it. This
 * package and those below it see storage only as a {@code GraphView}; they may use {@code core} and nothing else of the
 * project.
 */
@NullMarked
package service.projection.query;

import org.jspecify.annotations.NullMarked;
