/** Authorization: policy bundles, and the one evaluator that decides by them. */
@NullMarked
package service.core.policy;

import org.jspecify.annotations.NullMarked;
