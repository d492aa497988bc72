/**
 * Runs compiled reads: plans them, keeps the plans, lowers a plan to a pipeline of operators and describes it. This
 * package and those below it see storage only as a {@code GraphView}; they may use {@code core} and nothing else of the
 * project. It may use {@code query.kernel}, {@code query.operator}, {@code query.plan} and {@code query.vector} of this
 * module.
 */
@NullMarked
package service.projection.query;

import org.jspecify.annotations.NullMarked;
