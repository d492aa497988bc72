/**
 * What the requests of one process share: heap memory and processors. Each request holds a {@link RequestBudget} and
 * charges it; the limits hold for all requests together.
 */
@NullMarked
package service.core.budget;

import org.jspecify.annotations.NullMarked;
