package service.core.graph.request;

import service.core.value.Ulid;

/** The schema in force at a point ({@code GET /schema}). */
public record SchemaRecord(String source, String digest, Ulid commitId) {}
