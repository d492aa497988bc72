package service.cli.shell;

import service.cli.client.GraphClient;

/**
 * The graph that a shell works on. A client is taken for one request and closed after it, so that a shell at rest holds
 * no lock.
 */
public interface Graphs {
    GraphClient reader();

    GraphClient writer();

    /** How the prompt names the graph. */
    String name();
}
