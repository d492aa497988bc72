/**
 * Columns and batches: the data that storage and operators pass to each other. Operators and views fill and read them;
 * a batch belongs to one thread.
 */
@NullMarked
package service.core.batch;

import org.jspecify.annotations.NullMarked;
