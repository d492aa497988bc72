/**
 * The use-cases of one graph: the facade {@code Graph}, which HTTP, MCP and the command line call, over one class for
 * each use-case in the packages below. It may use those packages, the ports, GQ, schema, events and values; it knows
 * neither storage nor HTTP.
 */
@NullMarked
package service.core.graph;

import org.jspecify.annotations.NullMarked;
