/**
 * Verification of signed tokens: data credentials and OIDC access tokens, and the trust files that say which keys and
 * principals are admitted. It sees texts and bytes, no requests. It uses no other package of this module.
 */
@NullMarked
package service.http.auth.token;

import org.jspecify.annotations.NullMarked;
