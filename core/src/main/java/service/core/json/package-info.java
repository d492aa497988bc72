/**
 * JSON in and out: strict reading, values by declared type, and the records of {@code docs/http.md} as every door shows
 * them.
 */
@NullMarked
package service.core.json;

import org.jspecify.annotations.NullMarked;
