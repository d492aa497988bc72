/**
 * Authorization: policy bundles, and the one evaluator that decides by them. It knows names of actors and branches, but
 * no graph.
 */
@NullMarked
package service.core.policy;

import org.jspecify.annotations.NullMarked;
