/** Expressions compiled to run over batches, columns in and a column out. */
@NullMarked
package service.projection.query.kernel;

import org.jspecify.annotations.NullMarked;
