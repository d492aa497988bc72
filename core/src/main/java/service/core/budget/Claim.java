package service.core.budget;

/**
 * Whose a request is: it belongs to who has sent it and to the graph that it is for, and both take turns with their
 * like. Each is compared by {@code equals}.
 *
 * @param sender such as an actor
 * @param graph the graph, or what stands for requests without one
 */
public record Claim<H>(H sender, H graph) {}
