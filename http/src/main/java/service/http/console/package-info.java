/**
 * The files of the browser console, whose sources are the resources in {@code console/}. The console uses the routes of
 * the API alone; nothing here knows a graph.
 */
@NullMarked
package service.http.console;

import org.jspecify.annotations.NullMarked;
