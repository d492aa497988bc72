package service.projection.table;

import service.core.schema.Catalog;

/** Makes a catalog of what an event carries: the schema's text and its stable identities. */
@FunctionalInterface
public interface CatalogSource {
    Catalog catalog(String source, byte[] identities);
}
