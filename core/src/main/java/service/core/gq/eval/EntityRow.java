package service.core.gq.eval;

import service.core.event.Image;
import service.core.schema.EntityType;

/** The entity in a slot of an evaluation. */
public record EntityRow(int type, String typeName, String id, Image image) {
    /** An entity of a type. */
    public static EntityRow of(EntityType type, String id, Image image) {
        return new EntityRow(type.identity(), type.name(), id, image);
    }
}
