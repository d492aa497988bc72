/** The routes, one class for each family of paths, and the table that lists them. */
@NullMarked
package service.http.route;

import org.jspecify.annotations.NullMarked;
