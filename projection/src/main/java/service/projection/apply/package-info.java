/** Applies events to the tables: one at a time for the writer, in sorted batches for catching up. */
@NullMarked
package service.projection.apply;

import org.jspecify.annotations.NullMarked;
