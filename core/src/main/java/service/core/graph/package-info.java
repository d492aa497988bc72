/**
 * The use-cases of one graph: the facades {@code Graph} and {@code GraphAccess}, which HTTP, MCP and the command line
 * call, over one class for each use-case in the packages below.
 */
@NullMarked
package service.core.graph;

import org.jspecify.annotations.NullMarked;
