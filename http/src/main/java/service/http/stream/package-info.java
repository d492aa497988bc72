/** Request and response bodies, sent and received without blocking the I/O thread, with deadlines for the client. */
@NullMarked
package service.http.stream;

import org.jspecify.annotations.NullMarked;
