package service.cli.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import service.cli.client.CommandFailure;
import service.mcp.tool.Tool;
import service.mcp.tool.ToolRefusal;

/** A tool that asks the server, and answers what the server has answered. */
record RequestTool(Definition definition, Work work) implements Tool<AgentGraph> {
    /** The JSON Schema of a result whose fields are those of an answer over HTTP. */
    static final String ANY = """
            {"type":"object"}
            """;

    /** What a call does. */
    interface Work {
        byte[] run(AgentGraph graph, ObjectNode arguments);
    }

    @Override
    public byte[] run(AgentGraph graph, ObjectNode arguments) {
        try {
            return work.run(graph, arguments);
        } catch (RuntimeException failure) {
            CommandFailure described = graph.describe().apply(failure);
            throw new ToolRefusal(described.toJson().toString());
        }
    }
}
