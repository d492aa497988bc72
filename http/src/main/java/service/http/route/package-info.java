/** The routes: one small class a family, and the table that lists them all. */
@NullMarked
package service.http.route;

import org.jspecify.annotations.NullMarked;
