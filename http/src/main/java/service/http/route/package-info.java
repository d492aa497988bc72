/**
 * The routes: one small class a family, and the table that lists them all. A handler takes a {@code Call} and returns
 * an {@code Answer}; it sees neither Undertow nor the server.
 */
@NullMarked
package service.http.route;

import org.jspecify.annotations.NullMarked;
