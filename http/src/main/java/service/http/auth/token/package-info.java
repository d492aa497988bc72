/**
 * Verification of signed tokens: data credentials and OIDC access tokens, and the trust files that say which keys and
 * principals are admitted. It sees texts and bytes, no requests.
 */
@NullMarked
package service.http.auth.token;

import org.jspecify.annotations.NullMarked;
