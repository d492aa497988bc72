/** The listener: order of checks, dispatch, answers, shutdown. */
@NullMarked
package service.http.server;

import org.jspecify.annotations.NullMarked;
