/**
 * Types that the calls of a graph share: the terms of a request, its settings and budgets, the target that it reads,
 * idempotency keys, stored queries, and the records of answers.
 */
@NullMarked
package service.core.graph.request;

import org.jspecify.annotations.NullMarked;
