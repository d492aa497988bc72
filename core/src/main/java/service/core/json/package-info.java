/**
 * JSON in and out: strict reading, values by declared type, and the records of {@code http.md} as every door shows
 * them. It may use {@code budget}, {@code error}, {@code event}, {@code schema} and {@code value} of this module.
 */
@NullMarked
package service.core.json;

import org.jspecify.annotations.NullMarked;
