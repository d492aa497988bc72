/**
 * Authorization: policy bundles, and the one evaluator that decides by them. It knows names of actors and branches, but
 * no graph. It may use {@code config} and {@code error} of this module.
 */
@NullMarked
package service.core.policy;

import org.jspecify.annotations.NullMarked;
