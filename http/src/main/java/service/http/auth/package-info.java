/**
 * Authentication of callers, and protection against requests from other web sites. It sees headers and addresses, not
 * Undertow. It may use {@code auth.token} of this module.
 */
@NullMarked
package service.http.auth;

import org.jspecify.annotations.NullMarked;
