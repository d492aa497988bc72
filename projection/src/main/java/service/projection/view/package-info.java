/** Reading the tables: sessions and views. */
@NullMarked
package service.projection.view;

import org.jspecify.annotations.NullMarked;
