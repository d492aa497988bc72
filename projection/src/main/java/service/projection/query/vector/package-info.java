/**
 * Batches of rows and structures over whole columns: hash tables, row stores, key encoding, sorting, and the budget of
 * one execution.
 */
@NullMarked
package service.projection.query.vector;

import org.jspecify.annotations.NullMarked;
