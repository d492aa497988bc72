package service.mcp.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A tool that agents call. Thread rule: any thread.
 *
 * @param <C> what a call brings: who calls and on what
 */
public interface Tool<C> {
    /** What a tool does to the graph. */
    enum Effect {
        /** It changes nothing. */
        READ,
        /** It adds something, and a second call is refused or adds again. */
        ADD,
        /** It may change and delete what there is. */
        CHANGE
    }

    /**
     * How a tool is shown to agents.
     *
     * @param name by which it is called
     * @param title a short name for people
     * @param description tells an agent what the tool gives and when to call it
     * @param input the JSON Schema of the arguments, as text
     * @param output the JSON Schema of the result, as text
     */
    record Definition(String name, String title, String description, String input, String output, Effect effect) {
        /** A tool that changes nothing. */
        public Definition(String name, String title, String description, String input, String output) {
            this(name, title, description, input, output, Effect.READ);
        }
    }

    Definition definition();

    /**
     * Runs a call.
     *
     * @param arguments not yet compared with the input schema
     * @return the result, a JSON object in UTF-8
     * @throws service.core.error.ServiceException for whatever the agent can correct
     * @throws ToolRefusal for the same, where a server has refused
     * @throws java.util.concurrent.CancellationException when the call has ended before
     */
    byte[] run(C call, ObjectNode arguments);
}
