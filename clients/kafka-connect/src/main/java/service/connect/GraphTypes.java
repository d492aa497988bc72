package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The types of a graph in one version of its schema. Any thread. */
final class GraphTypes {
    final JsonNode catalog;
    final int version;
    private final Map<String, EntityShape> shapes = new LinkedHashMap<>();

    /**
     * @param catalog as the server answers it
     * @param version one more than that of the schema before; 1 is the first schema of the branch
     */
    GraphTypes(GraphSourceConfig config, JsonNode catalog, int version) {
        this.catalog = catalog;
        this.version = version;
        for (String kind : List.of("nodes", "edges")) {
            for (JsonNode type : catalog.path(kind)) {
                EntityShape shape = new EntityShape(config, type, version);
                shapes.put(shape.name, shape);
            }
        }
    }

    String digest() {
        return catalog.path("schema_digest").asText();
    }

    /** The types that are sent. */
    List<EntityShape> included(GraphSourceConfig config) {
        List<EntityShape> included = new ArrayList<>();
        for (EntityShape shape : shapes.values()) {
            if (config.includes(shape.edge, shape.name)) {
                included.add(shape);
            }
        }
        return included;
    }

    /** A type by its name, which no other node or edge type has. */
    EntityShape require(String name) throws StaleSchemaException {
        EntityShape shape = shapes.get(name);
        if (shape == null) {
            throw new StaleSchemaException(name, "");
        }
        return shape;
    }
}
