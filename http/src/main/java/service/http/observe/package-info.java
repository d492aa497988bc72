/** The logs of requests and of slow queries, and the counters of requests. It uses no other package of this module. */
@NullMarked
package service.http.observe;

import org.jspecify.annotations.NullMarked;
