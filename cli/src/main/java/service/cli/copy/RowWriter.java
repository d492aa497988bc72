package service.cli.copy;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;

/** Writes rows in batches, in the order in which they come for each table. One thread. */
final class RowWriter implements AutoCloseable {
    private static final int BATCH = 500;

    private final Connection connection;
    private final Dialect dialect;
    private final Map<Long, Table> tables = new TreeMap<>();

    RowWriter(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    /** The statements of a table, and the rows of one of them that are not written yet. */
    private static final class Table implements AutoCloseable {
        final PreparedStatement put;
        final PreparedStatement delete;

        private boolean deletes;
        private int rows;

        Table(PreparedStatement put, PreparedStatement delete) {
            this.put = put;
            this.delete = delete;
        }

        /** The statement of the next row; rows of the other one are written before. */
        PreparedStatement next(boolean isDelete) throws SQLException {
            if (deletes != isDelete) {
                flush();
                deletes = isDelete;
            }
            return isDelete ? delete : put;
        }

        /** Adds the row whose values {@link #next} has. */
        void add() throws SQLException {
            (deletes ? delete : put).addBatch();
            rows++;
            if (rows >= BATCH) {
                flush();
            }
        }

        void flush() throws SQLException {
            if (rows > 0) {
                (deletes ? delete : put).executeBatch();
                rows = 0;
            }
        }

        @Override
        public void close() throws SQLException {
            put.close();
            delete.close();
        }
    }

    /**
     * Writes an entity, new or changed.
     *
     * @param from its ends; null for a node
     */
    void put(CopiedType type, String id, JsonNode properties, @Nullable End from, @Nullable End to)
            throws SQLException {
        Table table = table(type);
        PreparedStatement row = table.next(false);
        row.setString(1, id);
        int index = 2;
        if (from != null && to != null) {
            for (End end : List.of(from, to)) {
                row.setString(index++, end.id());
                row.setString(index++, end.type());
            }
        }
        for (CopiedType.Column column : type.columns()) {
            JsonNode value = properties.get(column.property());
            if (value != null
                    && value.isTextual()
                    && value.textValue().indexOf(0) >= 0
                    && dialect == Dialect.POSTGRES) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        "PostgreSQL keeps no text with the character U+0000, which `%s` of %s `%s` has: change it in the"
                                        .formatted(column.property(), type.name(), id)
                                + " graph and run this again with --restart");
            }
            try {
                dialect.bind(row, index++, column.storage(), value);
            } catch (DateTimeException e) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        "`%s` of %s `%s` is no date of this program: %s"
                                .formatted(column.property(), type.name(), id, value));
            }
        }
        table.add();
    }

    /** An end of an edge. */
    record End(String type, String id) {}

    void delete(CopiedType type, String id) throws SQLException {
        Table table = table(type);
        table.next(true).setString(1, id);
        table.add();
    }

    private Table table(CopiedType type) throws SQLException {
        Table table = tables.get(type.id());
        if (table == null) {
            table = new Table(
                    connection.prepareStatement(upsert(type)),
                    connection.prepareStatement(
                            "delete from " + CopiedType.quoted(type.table()) + " where \"@id\" = ?"));
            tables.put(type.id(), table);
        }
        return table;
    }

    private static String upsert(CopiedType type) {
        List<String> columns = new ArrayList<>();
        CopiedType.own(type.edge()).forEach(own -> columns.add(CopiedType.quoted(own)));
        type.columns().forEach(column -> columns.add(CopiedType.quoted(column.name())));
        List<String> set = columns.stream()
                .skip(1)
                .map(column -> column + " = excluded." + column)
                .toList();
        return "insert into " + CopiedType.quoted(type.table()) + " (" + String.join(", ", columns) + ") values ("
                + String.join(", ", Collections.nCopies(columns.size(), "?"))
                + ") on conflict (\"@id\") do "
                + (set.isEmpty() ? "nothing" : "update set " + String.join(", ", set));
    }

    /** Writes what waits. */
    void flush() throws SQLException {
        for (Table table : tables.values()) {
            table.flush();
        }
    }

    /** Writes what waits and forgets the tables, which are about to change. */
    void forget() throws SQLException {
        flush();
        close();
    }

    @Override
    public void close() throws SQLException {
        for (Table table : tables.values()) {
            table.close();
        }
        tables.clear();
    }
}
