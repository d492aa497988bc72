/** The request log and the request counters. It uses no other package of this module. */
@NullMarked
package service.http.observe;

import org.jspecify.annotations.NullMarked;
