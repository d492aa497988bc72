/**
 * Temporary files for requests whose data does not fit on the heap. Implements {@code core.budget.SpillSpace}; uses the
 * JDK, Agrona and nothing else of this module.
 */
@NullMarked
package service.log.spill;

import org.jspecify.annotations.NullMarked;
