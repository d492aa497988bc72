/**
 * Mutations: statements that run over a layer of changes on a view. It may use {@code graph.check},
 * {@code graph.branch} for the statements on branches, {@code graph.read} and {@code graph.request}.
 */
@NullMarked
package service.core.graph.mutate;

import org.jspecify.annotations.NullMarked;
