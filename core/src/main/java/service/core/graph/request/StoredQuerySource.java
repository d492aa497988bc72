package service.core.graph.request;

/** A stored query of the applied revision: its name and the GQ source that defines it. */
public record StoredQuerySource(String name, String source) {}
