/**
 * The tools: one class each, with its description for agents, its input and its work. A tool sees neither HTTP nor the
 * SDK.
 */
@NullMarked
package service.mcp.tool;

import org.jspecify.annotations.NullMarked;
