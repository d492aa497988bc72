package service.cli.command;

import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.core.error.Suggestion;
import service.core.schema.Annotation;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyType;

/**
 * A vector property that records which text its vectors are made of.
 *
 * @param edge whether the type is an edge
 * @param text the property with the text
 * @param model that has made the vectors; null when none is recorded
 */
record EmbeddedProperty(
        boolean edge,
        String type,
        String vector,
        String text,
        int dimensions,
        @Nullable String model) {
    /**
     * The property of that name.
     *
     * @param name as Type.property
     * @throws CommandFailure for an unknown one, and one without {@code @embed}
     */
    static EmbeddedProperty find(Catalog catalog, String name) {
        String typeName = name.substring(0, name.indexOf('.'));
        String propertyName = name.substring(name.indexOf('.') + 1);
        EntityType node = catalog.node(typeName);
        EntityType type = node != null ? node : catalog.edge(typeName);
        if (type == null) {
            throw CommandFailure.usage("the schema has no node or edge type `" + typeName + "`");
        }
        Property property = type.properties().stream()
                .filter(each -> each.name().equals(propertyName))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("type `%s` has no property `%s`%s"
                        .formatted(typeName, propertyName, near(propertyName, type))));
        for (Annotation annotation : property.annotations()) {
            String text = annotation.argument();
            if (annotation.name().equals("embed")
                    && text != null
                    && property.type() instanceof PropertyType.VectorOf vector) {
                String model = annotation.named().get("model");
                return new EmbeddedProperty(
                        node == null,
                        type.name(),
                        property.name(),
                        plain(text),
                        vector.dimensions(),
                        model == null ? null : plain(model));
            }
        }
        throw CommandFailure.usage(
                "`%s` does not record what its vectors are made of; declare it as a Vector with @embed(\"TEXT\")"
                        .formatted(name));
    }

    private static String near(String name, EntityType type) {
        String near = Suggestion.didYouMean(
                name, type.properties().stream().map(Property::name).toList());
        return near == null ? "" : "; " + near;
    }

    private static String plain(String written) {
        return written.startsWith("\"") ? written.substring(1, written.length() - 1) : written;
    }

    /** Binds {@code $e} to the entities of the type, in a match. */
    String binding() {
        return edge ? "$from $e:" + Character.toLowerCase(type.charAt(0)) + type.substring(1) + " $to" : "$e: " + type;
    }
}
