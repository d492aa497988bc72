package service.cli.copy;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a copy. {@code service_type} and {@code service_column} say which table a type has and which column a
 * property, by the identities that stay through renames; so a change of the schema alters tables. Within the
 * transaction of the caller. One thread.
 */
final class CopyTables {
    private static final List<String> OWN = List.of("service_copy", "service_type", "service_column");

    private final Connection connection;
    private final Dialect dialect;

    /** By identity. */
    private final Map<Long, CopiedType> types = new TreeMap<>();

    CopyTables(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    /** A copied type; null for one that has no table. */
    @Nullable
    CopiedType type(long id) {
        return types.get(id);
    }

    /** The type of this name. */
    @Nullable
    CopiedType named(String name, boolean edge) {
        for (CopiedType type : types.values()) {
            if (type.edge() == edge && type.name().equals(name)) {
                return type;
            }
        }
        return null;
    }

    /** Makes the tables that describe the others, where they are missing. */
    void createOwn() throws SQLException {
        run(
                "create table if not exists service_copy (one integer primary key, graph text not null, branch text not null,"
                        + " filters text not null, place text not null, is_page integer not null, commit_id text)");
        run("create table if not exists service_type (id bigint primary key, edge integer not null, name text not null,"
                + " table_name text not null, src text, dst text)");
        run(
                "create table if not exists service_column (type_id bigint not null, id bigint not null, name text not null,"
                        + " column_name text not null, storage text not null, primary key (type_id, id))");
    }

    /** Reads which tables there are. */
    void read() throws SQLException {
        types.clear();
        Map<Long, List<CopiedType.Column>> columns = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select type_id, id, name, column_name, storage from service_column order by type_id, id")) {
            while (row.next()) {
                columns.computeIfAbsent(row.getLong(1), id -> new ArrayList<>())
                        .add(new CopiedType.Column(
                                row.getLong(2), row.getString(3), row.getString(4), Storage.valueOf(row.getString(5))));
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select id, edge, name, table_name, src, dst from service_type")) {
            while (row.next()) {
                long id = row.getLong(1);
                types.put(
                        id,
                        new CopiedType(
                                id,
                                row.getInt(2) == 1 ? new CopiedType.Ends(row.getString(5), row.getString(6)) : null,
                                row.getString(3),
                                row.getString(4),
                                columns.getOrDefault(id, List.of())));
            }
        }
    }

    /** Drops all tables of entities. */
    void clear() throws SQLException {
        for (CopiedType type : types.values()) {
            run("drop table " + CopiedType.quoted(type.table()));
        }
        run("delete from service_type");
        run("delete from service_column");
        run("delete from service_copy");
        types.clear();
    }

    /**
     * Makes the tables those of a catalog.
     *
     * @param wanted whether a type of the catalog is copied
     */
    void follow(JsonNode catalog, Predicate<JsonNode> wanted) throws SQLException {
        Map<Long, JsonNode> present = new LinkedHashMap<>();
        for (String kind : List.of("nodes", "edges")) {
            for (JsonNode type : catalog.path(kind)) {
                if (wanted.test(type)) {
                    present.put(type.path("identity").asLong(), type);
                }
            }
        }
        renameEnds(catalog);
        for (CopiedType gone : List.copyOf(types.values())) {
            if (!present.containsKey(gone.id())) {
                run("drop table " + CopiedType.quoted(gone.table()));
                types.remove(gone.id());
            }
        }
        // Names may be swapped: what is renamed gets out of the way first.
        for (CopiedType old : List.copyOf(types.values())) {
            if (!old.name().equals(name(present, old.id()))) {
                String aside = "service_renamed_" + old.id();
                run("alter table " + CopiedType.quoted(old.table()) + " rename to " + CopiedType.quoted(aside));
                types.put(old.id(), new CopiedType(old.id(), old.ends(), old.name(), aside, old.columns()));
            }
        }
        Set<String> taken = new HashSet<>(OWN);
        types.values().forEach(type -> taken.add(lower(type.table())));
        for (Map.Entry<Long, JsonNode> type : present.entrySet()) {
            followType(type.getKey(), type.getValue(), taken);
        }
        write();
    }

    private static String name(Map<Long, JsonNode> present, long id) {
        return Objects.requireNonNull(present.get(id)).path("name").asText();
    }

    private void followType(long id, JsonNode type, Set<String> taken) throws SQLException {
        String name = type.path("name").asText();
        CopiedType old = types.get(id);
        if (old == null) {
            boolean edge = type.has("from");
            String table = free(name, id, taken);
            StringBuilder columns = new StringBuilder("\"@id\" text primary key");
            for (String own : CopiedType.own(edge)) {
                columns.append(own.equals("@id") ? "" : ", " + CopiedType.quoted(own) + " text not null");
            }
            run("create table " + CopiedType.quoted(table) + " (" + columns + ")");
            if (edge) {
                // The name of an index is cut by the database where it is too long.
                run("create index on_src_" + id + " on " + CopiedType.quoted(table) + " (\"@src\")");
                run("create index on_dst_" + id + " on " + CopiedType.quoted(table) + " (\"@dst\")");
            }
            old = new CopiedType(id, null, name, table, List.of());
        } else if (!old.name().equals(name)) {
            String table = free(name, id, taken);
            run("alter table " + CopiedType.quoted(old.table()) + " rename to " + CopiedType.quoted(table));
            old = new CopiedType(id, old.ends(), name, table, old.columns());
        }
        CopiedType.Ends ends =
                type.has("from") ? new CopiedType.Ends(only(type.path("from")), only(type.path("to"))) : null;
        types.put(id, new CopiedType(id, ends, name, old.table(), columns(old, type.path("properties"))));
    }

    /** The one type that may stand at an end; null where ids say their types. */
    private static @Nullable String only(JsonNode end) {
        return end.path("typed_ids").asBoolean()
                ? null
                : end.path("types").path(0).asText();
    }

    /** Drops, renames and adds columns until they are those of the properties. */
    private List<CopiedType.Column> columns(CopiedType type, JsonNode properties) throws SQLException {
        Map<Long, JsonNode> present = new LinkedHashMap<>();
        properties.forEach(property -> present.put(property.path("identity").asLong(), property));
        String table = "alter table " + CopiedType.quoted(type.table());
        Map<Long, CopiedType.Column> kept = new TreeMap<>();
        Set<String> taken = new HashSet<>(CopiedType.own(true));
        for (CopiedType.Column old : type.columns()) {
            JsonNode property = present.get(old.id());
            if (property == null || Storage.of(property) != old.storage()) {
                run(table + " drop column " + CopiedType.quoted(old.name()));
                continue;
            }
            String column = old.name();
            if (!old.property().equals(property.path("name").asText())) {
                column = "service_renamed_" + old.id();
                run(table + " rename column " + CopiedType.quoted(old.name()) + " to " + CopiedType.quoted(column));
            }
            taken.add(lower(column));
            kept.put(old.id(), new CopiedType.Column(old.id(), old.property(), column, old.storage()));
        }
        List<CopiedType.Column> columns = new ArrayList<>();
        for (Map.Entry<Long, JsonNode> entry : present.entrySet()) {
            columns.add(column(type, entry.getKey(), entry.getValue(), kept.get(entry.getKey()), taken));
        }
        return columns;
    }

    private CopiedType.Column column(
            CopiedType type, long id, JsonNode property, CopiedType.@Nullable Column old, Set<String> taken)
            throws SQLException {
        String name = property.path("name").asText();
        if (old != null && old.property().equals(name)) {
            return old;
        }
        String table = CopiedType.quoted(type.table());
        String column = free(name, id, taken);
        Storage storage = Storage.of(property);
        if (old != null) {
            run("alter table " + table + " rename column " + CopiedType.quoted(old.name()) + " to "
                    + CopiedType.quoted(column));
        } else {
            run("alter table " + table + " add column " + CopiedType.quoted(column) + " "
                    + dialect.columnType(storage));
            if (!property.path("nullable").asBoolean() && property.has("default")) {
                // Entities that were there before have the default from this commit on.
                try (PreparedStatement update =
                        connection.prepareStatement("update " + table + " set " + CopiedType.quoted(column) + " = ?")) {
                    dialect.bind(update, 1, storage, property.get("default"));
                    update.executeUpdate();
                }
            }
        }
        return new CopiedType.Column(id, name, column, storage);
    }

    /** Gives the ends of edges the new names of node types, all at once. */
    private void renameEnds(JsonNode catalog) throws SQLException {
        Map<String, String> renamed = new TreeMap<>();
        for (JsonNode type : catalog.path("nodes")) {
            CopiedType old = types.get(type.path("identity").asLong());
            String name = type.path("name").asText();
            if (old != null && !old.name().equals(name)) {
                renamed.put(old.name(), name);
            }
        }
        if (renamed.isEmpty()) {
            return;
        }
        StringBuilder cases = new StringBuilder();
        renamed.forEach((from, to) -> cases.append(" when '")
                .append(from)
                .append("' then '")
                .append(to)
                .append('\''));
        for (CopiedType type : types.values()) {
            for (String end : type.edge() ? List.of("@src_type", "@dst_type") : List.<String>of()) {
                String column = CopiedType.quoted(end);
                run("update " + CopiedType.quoted(type.table()) + " set " + column + " = case " + column + cases
                        + " else " + column + " end");
            }
        }
    }

    /** A name that no other table or column has, in whatever case; a long or taken one ends with the identity. */
    private static String free(String name, long id, Set<String> taken) {
        String free = name;
        if (name.length() > Dialect.NAME_MAX || taken.contains(lower(name))) {
            String end = "_" + id;
            free = name.substring(0, Math.min(name.length(), Dialect.NAME_MAX - end.length())) + end;
        }
        taken.add(lower(free));
        return free;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /** Writes which tables there are. */
    private void write() throws SQLException {
        run("delete from service_type");
        run("delete from service_column");
        try (PreparedStatement type =
                        connection.prepareStatement("insert into service_type values (?, ?, ?, ?, ?, ?)");
                PreparedStatement column =
                        connection.prepareStatement("insert into service_column values (?, ?, ?, ?, ?)")) {
            for (CopiedType each : types.values()) {
                type.setLong(1, each.id());
                type.setInt(2, each.edge() ? 1 : 0);
                type.setString(3, each.name());
                type.setString(4, each.table());
                CopiedType.Ends ends = each.ends();
                type.setString(5, ends == null ? null : ends.from());
                type.setString(6, ends == null ? null : ends.to());
                type.executeUpdate();
                for (CopiedType.Column of : each.columns()) {
                    column.setLong(1, each.id());
                    column.setLong(2, of.id());
                    column.setString(3, of.property());
                    column.setString(4, of.name());
                    column.setString(5, of.storage().name());
                    column.executeUpdate();
                }
            }
        }
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
