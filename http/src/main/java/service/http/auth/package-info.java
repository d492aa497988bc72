/**
 * Authentication of callers, and protection against requests from other web sites. It sees headers and addresses, not
 * Undertow.
 */
@NullMarked
package service.http.auth;

import org.jspecify.annotations.NullMarked;
