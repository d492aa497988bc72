package service.core.graph.load;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.Image;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.EntityIds;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.KeyText;
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

    /**
     * A record with the id that its key gives.
     *
     * @param record whose ends are known
     * @throws ServiceException BAD_REQUEST when the key gives none, or another one than the record
     */
    LoadRecord keyed(LoadRecord record) {
        LoadRecord.EndTypes ends = record.endTypes();
        Image fresh = new Image(
                fresh(record.given(), record.cleared()),
                record.from(),
                record.to(),
                ends == null ? EdgeEnd.FIRST : ends.from(),
                ends == null ? EdgeEnd.FIRST : ends.to());
        String derived;
        try {
            derived = EntityIds.derive(type, fresh);
        } catch (ServiceException e) {
            throw new ServiceException(e.code(), "line " + record.line() + ": " + e.getMessage(), e.detail(), e);
        }
        String fault = KeyText.fault(derived);
        if (fault != null) {
            throw violation(
                    record,
                    KeyText.isShort(derived) ? derived : null,
                    "the id that the key of the " + type.name() + " gives " + fault);
        }
        String id = record.id();
        if (id != null && !id.equals(derived) && !isAlike(id, derived)) {
            throw violation(
                    record,
                    id,
                    "data.id is `" + id + "`, but the key of the " + type.name() + " gives `" + derived + "`");
        }
        return record.withId(derived);
    }

    /** Whether an id may come from a graph that gives other numbers to types. */
    private boolean isAlike(String id, String derived) {
        return type instanceof EntityType.EdgeType edge && EntityIds.isAlike(edge, id, derived);
    }

    private ServiceException violation(LoadRecord record, @Nullable String entityId, String message) {
        return new ServiceException(
                ErrorCode.BAD_REQUEST,
                "line " + record.line() + ": " + message,
                ConstraintChecks.valueViolation(type, entityId));
    }

    /** Whether the ids of some records depend on what only the data says. */
    boolean isOpen() {
        return isKeyed() && records.stream().anyMatch(LoadRecord::hasOpenEnd);
    }

    /** The same records in the order of their lines, with the ids that their keys give. */
    LoadType whole(UnaryOperator<LoadRecord> resolved) {
        LoadType whole = new LoadType(type);
        records.stream()
                .sorted(Comparator.comparingInt(LoadRecord::line))
                .map(record -> record.hasOpenEnd() ? keyed(resolved.apply(record)) : record)
                .forEach(whole.records::add);
        return whole;
    }

    /** Whether ids are made of a key. */
    boolean isKeyed() {
        return !type.key().isEmpty();
    }
}
