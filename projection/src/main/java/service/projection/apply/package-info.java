/**
 * Applies events to the tables: one at a time for the writer, in sorted batches for catching up. It may use
 * {@code resident}, {@code table}, {@code temporal} and {@code view} of this module.
 */
@NullMarked
package service.projection.apply;

import org.jspecify.annotations.NullMarked;
