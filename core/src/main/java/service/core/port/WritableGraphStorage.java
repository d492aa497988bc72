package service.core.port;

/** The storage of a graph in the process that writes it. Any thread. */
public interface WritableGraphStorage extends GraphStorage {
    CommitLog log();
}
