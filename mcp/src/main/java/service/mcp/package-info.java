/**
 * The Model Context Protocol: {@code POST /mcp}, through which agents run stored reads. {@code Mcp} makes the route. It
 * may use {@code tool} and {@code transport} of this module.
 */
@NullMarked
package service.mcp;

import org.jspecify.annotations.NullMarked;
