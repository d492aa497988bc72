package service.cli.agent;

import java.util.function.Function;
import service.cli.client.CommandFailure;
import service.cli.client.ServerHttp;
import service.cli.client.ToolClient;

/**
 * What the tools of an agent work on. Any thread.
 *
 * @param server has the graph
 * @param client asks the graph
 * @param rowsMax the most rows that a query may answer
 * @param timeoutMillis the longest time of a query
 * @param describe says what a failure is
 */
public record AgentGraph(
        ServerHttp server,
        ToolClient client,
        int rowsMax,
        long timeoutMillis,
        Function<Exception, CommandFailure> describe) {}
