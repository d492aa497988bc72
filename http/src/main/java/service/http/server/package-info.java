/** The listener: it checks requests, runs them on a thread, sends answers and shuts down. */
@NullMarked
package service.http.server;

import org.jspecify.annotations.NullMarked;
