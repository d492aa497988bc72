/**
 * The server transport of the MCP SDK over a route of {@code http}, and the limits of tool calls. This package is the
 * only one that uses the SDK.
 */
@NullMarked
package service.mcp.transport;

import org.jspecify.annotations.NullMarked;
