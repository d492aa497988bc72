/** Columns and batches: what storage and operators hand each other. */
@NullMarked
package service.core.batch;

import org.jspecify.annotations.NullMarked;
