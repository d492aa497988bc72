/** Columns and batches: the data that storage and operators pass to each other. */
@NullMarked
package service.core.batch;

import org.jspecify.annotations.NullMarked;
