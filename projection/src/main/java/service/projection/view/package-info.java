/**
 * Reading the tables: sessions and views. It implements the ports {@code GraphSession}, {@code WriteSession} and
 * {@code GraphView}. It may use {@code table} and {@code temporal} of this module.
 */
@NullMarked
package service.projection.view;

import org.jspecify.annotations.NullMarked;
