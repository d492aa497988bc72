package service.core.graph.request;

import service.core.schema.Catalog;
import service.core.value.Ulid;

/** The schema in force at a point ({@code GET /schema}, {@code GET /catalog}). */
public record SchemaRecord(Catalog catalog, Ulid commitId) {
    public String source() {
        return catalog.source();
    }

    public String digest() {
        return catalog.digest();
    }
}
