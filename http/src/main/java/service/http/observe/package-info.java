/** What a server says about its requests: one log line each, and counters. */
@NullMarked
package service.http.observe;

import org.jspecify.annotations.NullMarked;
