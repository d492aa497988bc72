/** What one server takes on at once: every limit with its name, default and bounds, and the gates that keep them. */
@NullMarked
package service.http.limit;

import org.jspecify.annotations.NullMarked;
