/**
 * Types that the calls of a graph share: the terms of a request, its settings and budgets, the target that it reads,
 * idempotency keys, stored queries, and the records of answers. It may use {@code blob}, {@code budget},
 * {@code config}, {@code error}, {@code event}, {@code gq}, {@code gq.eval}, {@code gq.plan}, {@code json},
 * {@code policy}, {@code port}, {@code schema}, {@code text} and {@code value} of this module.
 */
@NullMarked
package service.core.graph.request;

import org.jspecify.annotations.NullMarked;
