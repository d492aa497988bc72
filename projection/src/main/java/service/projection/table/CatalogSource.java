package service.projection.table;

import service.core.schema.Catalog;

/** Makes a catalog of the text of a schema and its stable identities, which an event holds. */
@FunctionalInterface
public interface CatalogSource {
    Catalog catalog(String source, byte[] identities);
}
