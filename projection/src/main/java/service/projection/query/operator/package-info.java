/**
 * The operators of a pipeline and its sources: batches are pushed from the source to the sink. It may use {@code core}
 * and the packages {@code plan}, {@code vector} and {@code kernel}.
 */
@NullMarked
package service.projection.query.operator;

import org.jspecify.annotations.NullMarked;
