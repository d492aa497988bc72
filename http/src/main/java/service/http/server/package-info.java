/**
 * The listener: it checks requests, runs them on a thread, sends answers and shuts down. This package and
 * {@code stream} are the only ones that use Undertow.
 */
@NullMarked
package service.http.server;

import org.jspecify.annotations.NullMarked;
