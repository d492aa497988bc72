/** Mutations: statements that run over a layer of changes on a view. */
@NullMarked
package service.core.graph.mutate;

import org.jspecify.annotations.NullMarked;
