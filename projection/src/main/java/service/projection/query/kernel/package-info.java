/**
 * Expressions compiled to run over batches, columns in and a column out. It may use {@code query.plan} and
 * {@code query.vector} of this module.
 */
@NullMarked
package service.projection.query.kernel;

import org.jspecify.annotations.NullMarked;
