/** The records and responses of {@code http.md} as JSON: the same bytes at every door. */
@NullMarked
package service.core.wire;

import org.jspecify.annotations.NullMarked;
