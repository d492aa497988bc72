/**
 * Mutations: statements that run over a layer of changes on a view. It may use {@code blob}, {@code budget},
 * {@code error}, {@code event}, {@code gq}, {@code gq.plan}, {@code graph.branch}, {@code graph.check},
 * {@code graph.read}, {@code graph.request}, {@code json}, {@code policy}, {@code port}, {@code schema}, {@code text}
 * and {@code value} of this module.
 */
@NullMarked
package service.core.graph.mutate;

import org.jspecify.annotations.NullMarked;
