/**
 * The use-cases of one graph: the facades {@code Graph} and {@code GraphAccess}, which HTTP, MCP and the command line
 * call, over one class for each use-case in the packages below. It may use {@code blob}, {@code budget},
 * {@code graph.branch}, {@code graph.check}, {@code graph.feed}, {@code graph.load}, {@code graph.mutate},
 * {@code graph.read}, {@code graph.request}, {@code graph.schema}, {@code json}, {@code policy}, {@code port},
 * {@code schema.migrate} and {@code value} of this module.
 */
@NullMarked
package service.core.graph;

import org.jspecify.annotations.NullMarked;
