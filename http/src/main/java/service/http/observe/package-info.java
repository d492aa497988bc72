/** The request log and the request counters. */
@NullMarked
package service.http.observe;

import org.jspecify.annotations.NullMarked;
