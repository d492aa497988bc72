/**
 * Authentication of callers, and protection against requests from other web sites. It sees headers and addresses, not
 * Undertow. It uses no other package of this module.
 */
@NullMarked
package service.http.auth;

import org.jspecify.annotations.NullMarked;
