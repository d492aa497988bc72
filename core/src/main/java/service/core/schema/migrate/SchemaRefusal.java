package service.core.schema.migrate;

import org.jspecify.annotations.Nullable;

/**
 * Why a migration is refused.
 *
 * @param code stable code such as {@code PG-MF-107}
 * @param kind the kind of the type: a node type or an edge type
 * @param typeName under its accepted name when the type is dropped, else its desired one
 * @param property the property concerned, or null
 * @param count live entities that stand against it; 0 when it is refused whatever they are
 * @param entityId the first of them, or null
 * @param message a whole sentence with the remedy
 */
public record SchemaRefusal(
        String code,
        String kind,
        String typeName,
        @Nullable String property,
        long count,
        @Nullable String entityId,
        String message) {}
