package service.core.graph.load;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyRow;
import service.core.value.PropertyRowBuilder;
import service.core.value.Value;

/** A type during a load: its properties by name, the builder of its rows, and its records so far. One thread. */
final class LoadType {
    final EntityType type;
    final PropertyRowBuilder row;
    final List<LoadRecord> records = new ArrayList<>();

    /** Ascending by identity; the index of a property here is its place in the builder. */
    private final List<Property> properties;

    private final Map<String, Integer> places = new HashMap<>();
    private final PropertyRow defaults;

    LoadType(EntityType type) {
        this.type = type;
        properties = new ArrayList<>(type.properties());
        properties.sort(Comparator.comparingInt(Property::identity));
        int[] identities = new int[properties.size()];
        Map<Integer, Value> defaultValues = new TreeMap<>();
        for (int place = 0; place < identities.length; place++) {
            Property property = properties.get(place);
            identities[place] = property.identity();
            places.put(property.name(), place);
            if (property.defaultValue() != null) {
                defaultValues.put(property.identity(), property.defaultValue());
            }
        }
        defaults = PropertyRow.of(defaultValues);
        row = new PropertyRowBuilder(identities);
    }

    /** The place of the property of that name, or −1. */
    int place(String name) {
        Integer place = places.get(name);
        return place == null ? -1 : place;
    }

    Property property(int place) {
        return properties.get(place);
    }

    List<String> propertyNames() {
        return properties.stream().map(Property::name).toList();
    }

    /** The properties of a new entity: the given ones, and defaults for those that were not named. */
    PropertyRow fresh(PropertyRow given, int[] cleared) {
        return cleared.length == 0 && namesDefaults(given) ? given : defaults.overlaidWith(given, cleared);
    }

    private boolean namesDefaults(PropertyRow given) {
        int found = 0;
        for (int i = 0; found < defaults.size() && i < given.size(); i++) {
            if (given.identityAt(i) == defaults.identityAt(found)) {
                found++;
            }
        }
        return found == defaults.size();
    }

    EntityType.@Nullable NodeType keyed() {
        return type instanceof EntityType.NodeType node && !node.key().isEmpty() ? node : null;
    }
}
