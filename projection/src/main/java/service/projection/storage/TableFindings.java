package service.projection.storage;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.projection.table.IdTable;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.temporal.TemporalCursor;

/** Puts what is wrong with the tables of a graph into sentences that name entities. One thread. */
final class TableFindings {
    private final TableAccess access;
    private final GraphSession session;

    /**
     * Over tables that a replay of the log has made.
     *
     * @param session over the same tables
     */
    TableFindings(TableAccess access, GraphSession session) {
        this.access = access;
        this.session = session;
    }

    private ReadPoint main() {
        return Objects.requireNonNull(session.branch(Branch.MAIN), "main always exists")
                .headPoint();
    }

    /** How the tables of a graph, which were compared as the first ones, differ from those of the replay. */
    String sentence(TablesCompared.Difference found) {
        String entity = entity(found.table(), ByteBuffer.wrap(found.key()));
        String entry = "an entry" + (entity == null ? "" : " of " + entity);
        String table = "table " + found.table().tableName();
        return switch (found.which()) {
            case FIRST -> table + " has " + entry + " that the log does not make";
            case SECOND -> table + " lacks " + entry + " that the log makes";
            case BOTH -> table + " has another value in " + entry + " than the log makes";
        };
    }

    private @Nullable String entity(ProjectionTable table, ByteBuffer key) {
        Catalog catalog = session.catalog(main());
        int member = key.capacity() - TemporalCursor.SUFFIX;
        if (member < 2 * Integer.BYTES) {
            return null;
        }
        return switch (table) {
            case RECORDS -> entity(catalog.type(key.getInt(0)), key.getInt(Integer.BYTES));
            case OUT, IN -> entity(edgeType(catalog, key.getInt(0)), key.getInt(member - Integer.BYTES));
            case INDEX -> entity(indexed(catalog, key.getInt(0)), key.getInt(member - Integer.BYTES));
            default -> null;
        };
    }

    private static @Nullable EntityType edgeType(Catalog catalog, int lane) {
        return catalog.edges().stream()
                .filter(edge ->
                        edge.identity() == lane || edge.lanes().stream().anyMatch(each -> each.identity() == lane))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable EntityType indexed(Catalog catalog, int index) {
        return types(catalog)
                .filter(type -> type.indexes().stream().anyMatch(each -> each.identity() == index))
                .findFirst()
                .orElse(null);
    }

    private static Stream<EntityType> types(Catalog catalog) {
        return Stream.concat(catalog.nodes().stream(), catalog.edges().stream());
    }

    private @Nullable String entity(@Nullable EntityType type, int ordinal) {
        DirectBuffer id = type == null ? null : IdTable.id(access, type.identity(), ordinal);
        return type == null || id == null
                ? null
                : type.kind().wireName() + " " + type.name() + " `" + id.getStringWithoutLengthUtf8(0, id.capacity())
                        + "`";
    }

    /**
     * Where {@code main} shows other entities than it counts. A cleanup of an earlier version that was stopped, and
     * finished by that version, leaves deleted entities so, in the tables and in the image that a replay starts from.
     */
    List<String> miscounted() {
        List<String> findings = new ArrayList<>();
        try (GraphView main = session.view(main())) {
            types(main.catalog()).forEach(type -> {
                long shown = shown(main, type.identity());
                long counted = main.count(type.identity());
                if (shown != counted) {
                    findings.add("main shows " + shown + " " + type.kind().wireName() + "s " + type.name()
                            + " and counts " + counted
                            + ": a cleanup of an earlier version was stopped, and left deleted ones. Restore a backup"
                            + " of before it, or load an export into a new graph");
                }
            });
        }
        return findings;
    }

    private static long shown(GraphView view, int type) {
        long shown = 0;
        EntityColumn rows = new EntityColumn();
        try (GraphView.Scan scan = view.scan(type)) {
            for (int size = scan.next(rows); size > 0; size = scan.next(rows)) {
                shown += size;
            }
        }
        return shown;
    }
}
