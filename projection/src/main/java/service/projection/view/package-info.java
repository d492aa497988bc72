/**
 * Reading the tables: sessions and views. It implements the ports {@code GraphSession}, {@code WriteSession} and
 * {@code GraphView}.
 */
@NullMarked
package service.projection.view;

import org.jspecify.annotations.NullMarked;
