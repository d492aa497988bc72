/** Batches of typed values as an Apache Arrow IPC stream. */
@NullMarked
package service.core.arrow;

import org.jspecify.annotations.NullMarked;
