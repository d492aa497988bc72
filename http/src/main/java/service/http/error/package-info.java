/** The status and the body of error responses. */
@NullMarked
package service.http.error;

import org.jspecify.annotations.NullMarked;
