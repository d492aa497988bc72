/** The tables of a projection: one class each, with its layout. */
@NullMarked
package service.projection.table;

import org.jspecify.annotations.NullMarked;
