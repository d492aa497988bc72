/** The operators of a pipeline and its sources: batches are pushed from the source to the sink. */
@NullMarked
package service.projection.query.operator;

import org.jspecify.annotations.NullMarked;
