package service.core.graph.check;

import java.util.ArrayList;
import java.util.List;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.KeyText;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Derives the ids of keyed nodes. */
public final class EntityIds {
    private EntityIds() {}

    /** Whether the properties give this id; fast for a key of one text. */
    public static boolean gives(EntityType.NodeType type, PropertyRow row, String id) {
        if (type.key().size() == 1) {
            int place = row.placeOf(type.key().getFirst());
            if (place >= 0 && row.isTextAt(place, id)) {
                return true;
            }
        }
        return derive(type, row).equals(id);
    }

    /** The id that a keyed node's properties give; BAD_REQUEST with the member that has no value. */
    public static String derive(EntityType.NodeType type, PropertyRow row) {
        if (type.key().size() == 1) {
            int place = row.placeOf(type.key().getFirst());
            if (place >= 0 && row.tagAt(place) == PropertyRow.TAG_TEXT) {
                return row.textAt(place);
            }
        }
        List<PropertyType> types = new ArrayList<>(type.key().size());
        List<Value> values = new ArrayList<>(type.key().size());
        for (int member : type.key()) {
            Property property = type.property(member);
            Value value = row.get(member);
            if (property == null) {
                throw new IllegalStateException("a key member of " + type.name() + " is no property");
            }
            if (value == null) {
                throw new ServiceException(
                        ErrorCode.BAD_REQUEST,
                        "a " + type.name() + " needs a value for its key property `" + property.name() + "`",
                        ConstraintChecks.valueViolation(type, null));
            }
            types.add(property.type());
            values.add(value);
        }
        return KeyText.id(types, values);
    }
}
