package service.core.schema.migrate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import service.core.schema.Annotation;
import service.core.schema.CarriedIdentities;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.InterfaceType;
import service.core.schema.Property;
import service.core.schema.SchemaCompiler;
import service.core.value.EntityKind;
import service.core.value.Value;

/** Which accepted type and property each desired one continues, and the desired catalog that results. */
final class SchemaMatch {
    private static final String RENAME = "rename_from";

    final Catalog accepted;
    final Catalog desired;
    final NameMatch nodes;
    final NameMatch edges;
    final NameMatch interfaces;

    /** Matches of properties by the kind and the desired name of their type. */
    private final Map<String, NameMatch> properties = new HashMap<>();

    private final Map<String, Integer> named = new LinkedHashMap<>();
    private final Map<String, Integer> indexes = new LinkedHashMap<>();
    private final Map<Integer, Value> missing = new HashMap<>();
    private final Set<String> backfilled = new HashSet<>();

    /** @throws service.core.error.ServiceException BAD_REQUEST with the findings of the desired source */
    SchemaMatch(Catalog accepted, String source) {
        this.accepted = accepted;
        Catalog fresh = SchemaCompiler.compile(source);
        nodes = types("node", accepted.nodes(), fresh.nodes(), UnaryOperator.identity());
        edges = types("edge", accepted.edges(), fresh.edges(), name -> name.toLowerCase(Locale.ROOT));
        interfaces = new NameMatch(
                accepted.interfaces().stream()
                        .map(type -> new NameMatch.Named(type.name(), null))
                        .toList(),
                fresh.interfaces().stream()
                        .map(type -> new NameMatch.Named(type.name(), null))
                        .toList(),
                UnaryOperator.identity(),
                "interface");
        fresh.nodes().forEach(type -> carry(nodes, type, accepted::node));
        fresh.edges().forEach(type -> carry(edges, type, accepted::edge));
        fresh.interfaces().forEach(this::carry);
        desired = SchemaCompiler.compile(
                source,
                new CarriedIdentities(
                        named,
                        indexes,
                        missing,
                        backfilled,
                        accepted.nextIdentity(),
                        accepted.nextIndex(),
                        carriedEnds(fresh)));
    }

    /** The match with a schema that has its own identities: a later one of the same graph. */
    SchemaMatch(Catalog accepted, Catalog desired) {
        this.accepted = accepted;
        this.desired = desired;
        nodes = NameMatch.ofIdentities(typesById(accepted.nodes()), typesById(desired.nodes()));
        edges = NameMatch.ofIdentities(typesById(accepted.edges()), typesById(desired.edges()));
        interfaces = NameMatch.ofIdentities(interfacesById(accepted), interfacesById(desired));
        desired.nodes().forEach(this::matchProperties);
        desired.edges().forEach(this::matchProperties);
        interfaces.pairs.forEach((name, old) -> properties.put(
                "interface" + name,
                NameMatch.ofIdentities(
                        propertiesById(Objects.requireNonNull(accepted.interfaceType(old))
                                .properties()),
                        propertiesById(Objects.requireNonNull(desired.interfaceType(name))
                                .properties()))));
    }

    private void matchProperties(EntityType type) {
        EntityType old = acceptedOf(type);
        if (old != null) {
            properties.put(
                    type.kind().wireName() + type.name(),
                    NameMatch.ofIdentities(propertiesById(old.properties()), propertiesById(type.properties())));
        }
    }

    private static Map<Integer, String> typesById(Collection<? extends EntityType> types) {
        Map<Integer, String> names = new LinkedHashMap<>();
        types.forEach(type -> names.put(type.identity(), type.name()));
        return names;
    }

    private static Map<Integer, String> interfacesById(Catalog catalog) {
        Map<Integer, String> names = new LinkedHashMap<>();
        catalog.interfaces().forEach(type -> names.put(type.identity(), type.name()));
        return names;
    }

    private static Map<Integer, String> propertiesById(List<Property> properties) {
        Map<Integer, String> names = new LinkedHashMap<>();
        properties.forEach(property -> names.put(property.identity(), property.name()));
        return names;
    }

    /** The places at the ends of all edge types that continue. */
    private CarriedIdentities.Wide carriedEnds(Catalog fresh) {
        Map<String, CarriedIdentities.Ends> ends = new HashMap<>();
        for (EntityType.EdgeType edge : fresh.edges()) {
            if (acceptedOf(edge) instanceof EntityType.EdgeType old) {
                int number = old.hasOneLane() ? -1 : old.ends().number();
                ends.put(
                        edge.name(),
                        new CarriedIdentities.Ends(
                                number, old.source().places(), old.destination().places()));
            }
        }
        return new CarriedIdentities.Wide(ends, accepted.nextWide());
    }

    /** The match of the properties of a type that both schemas have. */
    NameMatch properties(String kind, String typeName) {
        return Objects.requireNonNull(properties.get(kind + typeName));
    }

    static @Nullable String renamedFrom(List<Annotation> annotations) {
        return Annotation.argumentOf(annotations, RENAME);
    }

    private static NameMatch types(
            String what,
            Collection<? extends EntityType> accepted,
            Collection<? extends EntityType> desired,
            UnaryOperator<String> fold) {
        return new NameMatch(typeNames(accepted), typeNames(desired), fold, what);
    }

    private static List<NameMatch.Named> typeNames(Collection<? extends EntityType> types) {
        return types.stream()
                .map(type -> new NameMatch.Named(type.name(), renamedFrom(type.annotations())))
                .toList();
    }

    private static NameMatch properties(List<Property> accepted, List<Property> desired, String type) {
        return new NameMatch(
                propertyNames(accepted), propertyNames(desired), UnaryOperator.identity(), "property `" + type + "`.");
    }

    private static List<NameMatch.Named> propertyNames(List<Property> properties) {
        return properties.stream()
                .map(property -> new NameMatch.Named(property.name(), renamedFrom(property.annotations())))
                .toList();
    }

    private interface Accepted {
        @Nullable
        EntityType of(String name);
    }

    private void carry(NameMatch match, EntityType type, Accepted types) {
        String oldName = match.pairs.get(type.name());
        EntityType old = oldName == null ? null : types.of(oldName);
        if (old == null) {
            return;
        }
        named.put(type.name(), old.identity());
        NameMatch pairs = properties(old.properties(), type.properties(), type.name());
        properties.put(type.kind().wireName() + type.name(), pairs);
        Map<Integer, String> newNames = carry(type.name(), old.properties(), pairs);
        for (Property property : type.properties()) {
            boolean isNew = !pairs.pairs.containsKey(property.name());
            if (isNew && !property.nullable() && property.defaultValue() != null) {
                backfilled.add(CarriedIdentities.property(type.name(), property.name()));
            }
        }
        for (IndexDefinition index : old.indexes()) {
            carry(type.name(), index, newNames);
        }
    }

    /** Carries the properties; returns the new names by identity. */
    private Map<Integer, String> carry(String type, List<Property> old, NameMatch pairs) {
        Map<String, Property> byName = new HashMap<>();
        old.forEach(property -> byName.put(property.name(), property));
        Map<Integer, String> newNames = new HashMap<>();
        pairs.pairs.forEach((newName, oldName) -> {
            Property property = Objects.requireNonNull(byName.get(oldName));
            named.put(CarriedIdentities.property(type, newName), property.identity());
            newNames.put(property.identity(), newName);
            if (property.missing() != null) {
                missing.put(property.identity(), property.missing());
            }
        });
        return newNames;
    }

    private void carry(String type, IndexDefinition index, Map<Integer, String> newNames) {
        List<String> members = new ArrayList<>();
        for (int member : index.members()) {
            String name = member == Constraint.SRC ? "src" : member == Constraint.DST ? "dst" : newNames.get(member);
            if (name == null) {
                return;
            }
            members.add(name);
        }
        indexes.put(CarriedIdentities.index(type, members), index.identity());
    }

    private void carry(InterfaceType type) {
        InterfaceType old = accepted.interfaceType(type.name());
        if (old != null) {
            named.put(type.name(), old.identity());
            NameMatch pairs = properties(old.properties(), type.properties(), type.name());
            properties.put("interface" + type.name(), pairs);
            carry(type.name(), old.properties(), pairs);
        }
    }

    /** The accepted type that a desired one continues, or null. */
    @Nullable
    EntityType acceptedOf(EntityType type) {
        String old = (type.kind() == EntityKind.NODE ? nodes : edges).pairs.get(type.name());
        if (old == null) {
            return null;
        }
        return type.kind() == EntityKind.NODE ? accepted.node(old) : accepted.edge(old);
    }
}
