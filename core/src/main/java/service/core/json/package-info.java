/**
 * JSON in and out: strict reading, values by declared type, and the records of {@code http.md} as every door shows
 * them.
 */
@NullMarked
package service.core.json;

import org.jspecify.annotations.NullMarked;
