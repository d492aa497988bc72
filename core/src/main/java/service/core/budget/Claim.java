package service.core.budget;

/**
 * Whose a request is: the sender's and the graph's. Senders take turns with senders, and graphs with graphs. Each is
 * compared by {@code equals}.
 *
 * @param sender such as an actor
 * @param graph the graph; one value for all requests without a graph
 */
public record Claim<H>(H sender, H graph) {}
