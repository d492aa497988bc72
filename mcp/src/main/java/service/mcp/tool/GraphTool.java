package service.mcp.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A tool that agents call. It changes nothing. Thread rule: any thread. */
public sealed interface GraphTool permits GraphsTool, QueriesTool, QueryTool {
    /**
     * How a tool is shown to agents.
     *
     * @param name by which it is called
     * @param title a short name for people
     * @param description tells an agent what the tool gives and when to call it
     * @param input the JSON Schema of the arguments, as text
     * @param output the JSON Schema of the result, as text
     */
    record Definition(String name, String title, String description, String input, String output) {}

    Definition definition();

    /**
     * Runs a call.
     *
     * @param arguments not yet compared with the input schema
     * @return the result, a JSON object in UTF-8
     * @throws service.core.error.ServiceException for whatever the agent can correct
     * @throws java.util.concurrent.CancellationException when the budget of the call has ended
     */
    byte[] run(ToolCall call, ObjectNode arguments);
}
