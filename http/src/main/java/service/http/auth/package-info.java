/** Authentication of callers, and protection against requests from other web sites. */
@NullMarked
package service.http.auth;

import org.jspecify.annotations.NullMarked;
