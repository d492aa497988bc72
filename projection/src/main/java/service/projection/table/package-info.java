/**
 * The tables of a projection: one class each, with its layout. A table reads and writes keys and values inside a
 * transaction that its caller has opened.
 */
@NullMarked
package service.projection.table;

import org.jspecify.annotations.NullMarked;
