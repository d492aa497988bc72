package service.mcp.tool;

/** A tool of {@code POST /mcp}, which works on the graphs of this process. It changes nothing. */
public sealed interface GraphTool extends Tool<ToolCall> permits GraphsTool, QueriesTool, QueryTool {}
