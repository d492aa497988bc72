package service.core.graph;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import service.core.batch.EntityColumn;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.event.Image;
import service.core.json.JsonWriter;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;

/** Streams a state as the records that a load takes ({@code data.md} §2). */
final class Export {
    private static final int BUFFER_BYTES = 64 << 10;

    private final GraphStorage storage;

    Export(GraphStorage storage) {
        this.storage = storage;
    }

    void run(ReadTarget target, List<String> typeNames, OutputStream into) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(Targets.resolve(session, target).point())) {
            List<EntityType> types = chosen(view, typeNames);
            JsonWriter json =
                    new JsonWriter(
                            new byte[BUFFER_BYTES],
                            (buffer, length) -> {
                                try {
                                    into.write(buffer, 0, length);
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                                return buffer;
                            });
            for (EntityType type : types) {
                new TypeExport(view, type, json).run();
            }
            json.flush();
        }
    }

    private static List<EntityType> chosen(GraphView view, List<String> typeNames) {
        List<EntityType> all = History.typesInOrder(view.catalog());
        if (typeNames.isEmpty()) {
            return all;
        }
        List<EntityType> chosen = new ArrayList<>();
        for (String name : typeNames) {
            EntityType type = view.catalog().node(name);
            type = type == null ? view.catalog().edge(name) : type;
            if (type == null) {
                String meant =
                        Suggestion.didYouMean(name, all.stream().map(EntityType::name).toList());
                throw ServiceException.badRequest(
                        "unknown type `" + name + "`" + (meant == null ? "" : "; " + meant));
            }
            chosen.add(type);
        }
        return all.stream().filter(chosen::contains).toList();
    }

    /** The records of one type. */
    private static final class TypeExport {
        private final GraphView view;
        private final EntityType type;
        private final JsonWriter json;
        private final String member;

        TypeExport(GraphView view, EntityType type, JsonWriter json) {
            this.view = view;
            this.type = type;
            this.json = json;
            this.member = type.kind() == EntityKind.NODE ? "type" : "edge";
        }

        void run() {
            EntityColumn found = new EntityColumn();
            try (GraphView.Scan scan = view.scanById(type.identity())) {
                int size;
                while ((size = scan.next(found)) > 0) {
                    for (int row = 0; row < size; row++) {
                        record(found.ordinals[row]);
                    }
                }
            }
        }

        private void record(int ordinal) {
            Image image = view.image(type.identity(), ordinal);
            json.beginObject();
            json.field(member).string(type.name());
            if (image.from() != null) {
                json.field("from").string(image.from());
                json.field("to").string(image.to());
            }
            json.field("data").beginObject();
            json.field("id").string(view.id(type.identity(), ordinal));
            PropertyRow row = image.properties();
            for (Property property : type.properties()) {
                Value value = row.get(property.identity());
                if (value != null) {
                    json.field(property.name());
                    json.value(value, property.type());
                }
            }
            json.endObject().endObject().newline();
        }
    }
}
