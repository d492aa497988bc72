/**
 * Batches of rows and what works on whole columns: hash tables, kept rows, key bytes, sorting, and the budget that one
 * execution may use. It may use {@code core} only.
 */
@NullMarked
package service.projection.query.vector;

import org.jspecify.annotations.NullMarked;
