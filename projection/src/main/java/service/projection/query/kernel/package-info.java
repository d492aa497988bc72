/**
 * Expressions compiled to run over batches, columns in and a column out. It may use {@code core} and the packages
 * {@code plan} and {@code vector}.
 */
@NullMarked
package service.projection.query.kernel;

import org.jspecify.annotations.NullMarked;
