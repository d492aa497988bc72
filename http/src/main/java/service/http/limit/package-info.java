/** The limits of one server, with names, defaults and bounds, and the counters that enforce them. */
@NullMarked
package service.http.limit;

import org.jspecify.annotations.NullMarked;
