/**
 * The operators of a pipeline and its sources: batches are pushed from the source to the sink. It may use
 * {@code query.kernel}, {@code query.plan} and {@code query.vector} of this module.
 */
@NullMarked
package service.projection.query.operator;

import org.jspecify.annotations.NullMarked;
