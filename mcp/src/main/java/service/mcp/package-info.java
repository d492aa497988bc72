/**
 * The Model Context Protocol: {@code POST /mcp}, through which agents run stored reads. {@code Mcp} makes the route.
 */
@NullMarked
package service.mcp;

import org.jspecify.annotations.NullMarked;
