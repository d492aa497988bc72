/** The logs of requests and of slow queries, and the counters of requests. */
@NullMarked
package service.http.observe;

import org.jspecify.annotations.NullMarked;
