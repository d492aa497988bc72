/** Refusals on the wire: the one code-to-status table and the error body. */
@NullMarked
package service.http.error;

import org.jspecify.annotations.NullMarked;
