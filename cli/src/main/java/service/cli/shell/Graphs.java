package service.cli.shell;

import service.cli.client.GraphClient;

/**
 * The graph of a shell. The shell opens a client for each request and closes it afterwards, so that an idle shell holds
 * no lock.
 */
public interface Graphs {
    GraphClient reader();

    GraphClient writer();

    /** The name of the graph in the prompt. */
    String name();
}
