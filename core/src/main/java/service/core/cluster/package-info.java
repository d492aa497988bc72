/**
 * The cluster: configuration, resources, ledger, plan, apply, and what a server boots from. It may use {@code blob},
 * {@code config}, {@code error}, {@code graph}, {@code graph.request}, {@code json}, {@code policy}, {@code port},
 * {@code schema} and {@code value} of this module.
 */
@NullMarked
package service.core.cluster;

import org.jspecify.annotations.NullMarked;
