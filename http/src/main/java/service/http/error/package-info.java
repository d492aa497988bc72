/** The status and the body of error responses. It uses no other package of this module. */
@NullMarked
package service.http.error;

import org.jspecify.annotations.NullMarked;
