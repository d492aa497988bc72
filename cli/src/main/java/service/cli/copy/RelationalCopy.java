package service.cli.copy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.blob.BlobIntake;
import service.core.json.Json;

/**
 * A relational copy of a branch: a table a type, and the place in the change feed, which changes in the transaction of
 * the rows. So after a crash the copy is that of an earlier commit, and the next run continues from there. A commit of
 * the graph is in one transaction, also one of several pages. One thread; close it.
 *
 * <p>Every method throws {@link CommandFailure} where the database refuses.
 */
public final class RelationalCopy implements AutoCloseable {
    private static final int BASELINES_MAX = 3;

    private final CopyAddress address;
    private final Source source;
    private final Connection connection;
    private final CopyTables tables;
    private final RowWriter rows;
    private @Nullable Place place;

    /** The commit whose last block was written and is not committed; null where nothing waits. */
    private @Nullable String open;

    private @Nullable Place reached;

    /**
     * What is copied.
     *
     * @param name of the graph
     */
    public record Source(GraphClient graph, String name, String branch, GraphClient.Filters filters) {
        private boolean copies(JsonNode type) {
            boolean edge = type.has("from");
            return (filters.kinds().isEmpty() || filters.kinds().contains(edge ? "edge" : "node"))
                    && (filters.types().isEmpty()
                            || filters.types().contains(type.path("name").asText()));
        }

        private JsonNode catalog(GraphClient.Target target) {
            return graph.past().catalog(target);
        }
    }

    /**
     * A place in the feed.
     *
     * @param token a cursor, or a token of the next page
     */
    public record Place(String token, boolean isPage) {}

    private RelationalCopy(CopyAddress address, Source source, Connection connection) {
        this.address = address;
        this.source = source;
        this.connection = connection;
        this.tables = new CopyTables(connection, address.dialect());
        this.rows = new RowWriter(connection, address.dialect());
    }

    /**
     * Opens a database with or without a copy.
     *
     * @param address {@code sqlite:FILE} or {@code postgres://…}
     */
    public static RelationalCopy open(String address, Source source) {
        CopyAddress at = CopyAddress.of(address);
        Connection connection;
        try {
            connection = at.connect();
        } catch (SQLException e) {
            throw failed(at, e);
        }
        RelationalCopy copy = new RelationalCopy(at, source, connection);
        try {
            copy.read();
            return copy;
        } catch (SQLException e) {
            copy.close();
            throw failed(at, e);
        } catch (RuntimeException e) {
            copy.close();
            throw e;
        }
    }

    /** Throws for an address that is none. */
    public static void check(String address) {
        CopyAddress.of(address);
    }

    private void read() throws SQLException {
        tables.createOwn();
        tables.read();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select graph, branch, filters, place, is_page from service_copy where one = 1")) {
            if (row.next()) {
                requireSame("graph", row.getString(1), source.name());
                requireSame("branch", row.getString(2), source.branch());
                requireSame("selection of types", row.getString(3), filters());
                place = new Place(row.getString(4), row.getInt(5) == 1);
            }
        }
        connection.commit();
    }

    /** Lets no other process make the copy until the transaction ends, and requires that none has since it was read. */
    private void claim() throws SQLException {
        Place now = null;
        try (Statement statement = connection.createStatement()) {
            statement.execute(address.dialect().claim());
            try (ResultSet row = statement.executeQuery("select place, is_page from service_copy where one = 1")) {
                if (row.next()) {
                    now = new Place(row.getString(1), row.getInt(2) == 1);
                }
            }
        }
        if (!Objects.equals(now, place)) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "another process has moved the copy in " + address.shown() + " meanwhile: run this again");
        }
        tables.read();
    }

    private void requireSame(String what, String kept, String asked) {
        if (!kept.equals(asked)) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "%s holds a copy of another %s, `%s`, not `%s`: name another database"
                            .formatted(address.shown(), what, kept, asked));
        }
    }

    private String filters() {
        return String.join(",", source.filters().kinds()) + ";"
                + String.join(",", source.filters().types());
    }

    /** Where the copy stands; null where there is none yet. */
    public @Nullable Place place() {
        return place;
    }

    /** The database, as it is named to people. */
    public String shown() {
        return address.shown();
    }

    /**
     * Makes the copy from the head of the branch, in place of one that is there, in one transaction.
     *
     * @return the number of entities
     */
    public long baseline() {
        for (int attempt = 1; ; attempt++) {
            try {
                long entities = tryBaseline();
                if (entities >= 0) {
                    return entities;
                }
                connection.rollback();
            } catch (SQLException e) {
                throw failed(address, e);
            }
            if (attempt == BASELINES_MAX) {
                throw new CommandFailure(
                        CommandFailure.FAILED, "the schema changed while the copy was made: run this again");
            }
        }
    }

    /** The number of entities; −1 where the schema has changed meanwhile. */
    private long tryBaseline() throws SQLException {
        JsonNode catalog = source.catalog(new GraphClient.Target(source.branch(), null, null));
        claim();
        tables.clear();
        tables.follow(catalog, source::copies);
        Records records = new Records();
        source.graph().baseline(source.branch(), source.filters(), records);
        JsonNode last = records.last;
        if (last == null) {
            throw CommandFailure.connectionLost("the baseline broke off before its last line");
        }
        rows.forget();
        String commit = last.path("snapshot_commit_id").asText();
        JsonNode after = source.catalog(new GraphClient.Target(null, commit, null));
        if (!after.path("schema_digest").equals(catalog.path("schema_digest"))) {
            return -1;
        }
        Place first = new Place(last.path("resume_cursor").asText(), false);
        try (PreparedStatement row = connection.prepareStatement(
                "insert into service_copy (one, graph, branch, filters, place, is_page, commit_id)"
                        + " values (1, ?, ?, ?, ?, 0, ?)")) {
            row.setString(1, source.name());
            row.setString(2, source.branch());
            row.setString(3, filters());
            row.setString(4, first.token());
            row.setString(5, commit);
            row.executeUpdate();
        }
        connection.commit();
        place = first;
        return records.count;
    }

    /** Takes the lines of a baseline. */
    private final class Records extends OutputStream {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private @Nullable JsonNode last;
        private long count;

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            int begin = offset;
            for (int i = offset; i < offset + length; i++) {
                if (bytes[i] == '\n') {
                    line.write(bytes, begin, i - begin);
                    take(Json.readObject(line.toByteArray(), "a line of the baseline"));
                    line.reset();
                    begin = i + 1;
                }
            }
            line.write(bytes, begin, offset + length - begin);
        }

        private void take(ObjectNode record) {
            if (record.has("baseline")) {
                last = record.get("baseline");
                return;
            }
            boolean edge = record.has("edge");
            CopiedType type = tables.named(record.path(edge ? "edge" : "type").asText(), edge);
            if (type == null) {
                // It is of a schema that is newer than the catalog; the whole is made again.
                return;
            }
            ObjectNode data = (ObjectNode) record.path("data");
            for (CopiedType.Column column : type.columns()) {
                if (column.storage() == Storage.BLOB && data.hasNonNull(column.property())) {
                    data.set(column.property(), blob(data.get(column.property()).asText()));
                }
            }
            try {
                put(type, data.path("id").asText(), data, record);
            } catch (SQLException e) {
                throw failed(address, e);
            }
            count++;
        }
    }

    /** A blob as the feed shows it, from the form that records have. */
    private static ObjectNode blob(String text) {
        ObjectNode shown = Json.object();
        ObjectNode blob = shown.putObject("blob");
        if (!text.startsWith(BlobIntake.BASE64)) {
            blob.put("uri", text);
            return shown;
        }
        byte[] bytes = Base64.getDecoder().decode(text.substring(BlobIntake.BASE64.length()));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            blob.put("size", bytes.length);
            blob.put("etag", '"' + HexFormat.of().formatHex(digest) + '"');
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
        return shown;
    }

    /**
     * Writes a page of the feed. The page and the place after it become visible at once, with the next page where a
     * commit continues on it.
     */
    public void take(ObjectNode page) {
        try {
            JsonNode blocks = page.path("blocks");
            if (open != null && !open.equals(commit(blocks.path(0)))) {
                commit();
            }
            for (JsonNode block : blocks) {
                apply(block);
            }
            boolean isPage = page.has("next_page_token");
            reached = new Place(page.path(isPage ? "next_page_token" : "cursor").asText(), isPage);
            if (!blocks.isEmpty()) {
                open = commit(blocks.path(blocks.size() - 1));
            }
            if (!isPage) {
                commit();
            }
        } catch (SQLException e) {
            throw failed(address, e);
        }
    }

    private static String commit(JsonNode block) {
        return block.path("cause").path("graph_commit_id").asText();
    }

    private void apply(JsonNode block) throws SQLException {
        if (block.path("schema_change").isObject()) {
            rows.forget();
            tables.follow(source.catalog(new GraphClient.Target(null, commit(block), null)), source::copies);
        }
        for (JsonNode change : block.path("changes")) {
            CopiedType type = tables.type(change.path("type").path("id").asLong());
            if (type == null) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        "the copy in " + address.shown() + " has no table of type "
                                + change.path("type").path("name").asText() + ": make it again with --restart");
            }
            String id = change.path("id").asText();
            if (change.path("op").asText().equals("delete")) {
                rows.delete(type, id);
            } else {
                JsonNode after = change.path("after");
                put(type, id, after.path("properties"), after.path("endpoints"));
            }
        }
    }

    /** @param ends has the fields {@code from} and {@code to}, of an edge */
    private void put(CopiedType type, String id, JsonNode properties, JsonNode ends) throws SQLException {
        CopiedType.Ends types = type.ends();
        rows.put(
                type,
                id,
                properties,
                types == null ? null : end(ends.path("from"), types.from()),
                types == null ? null : end(ends.path("to"), types.to()));
    }

    private static RowWriter.End end(JsonNode end, @Nullable String only) {
        return end.isObject()
                ? new RowWriter.End(end.path("type").asText(), end.path("id").asText())
                : new RowWriter.End(Objects.requireNonNull(only), end.asText());
    }

    /** Commits rows and place, if no other process has moved the copy. */
    private void commit() throws SQLException {
        rows.flush();
        Place before = Objects.requireNonNull(place);
        Place after = Objects.requireNonNull(reached);
        if (!after.equals(before)) {
            try (PreparedStatement row = connection.prepareStatement("update service_copy set place = ?, is_page = ?,"
                    + " commit_id = coalesce(?, commit_id) where one = 1 and place = ?")) {
                row.setString(1, after.token());
                row.setInt(2, after.isPage() ? 1 : 0);
                row.setString(3, open);
                row.setString(4, before.token());
                if (row.executeUpdate() != 1) {
                    throw new CommandFailure(
                            CommandFailure.FAILED,
                            "another process keeps the copy in " + address.shown() + ", too: stop one of them");
                }
            }
        }
        connection.commit();
        place = after;
        open = null;
    }

    private static CommandFailure failed(CopyAddress address, SQLException failure) {
        SQLException cause = failure instanceof BatchUpdateException && failure.getNextException() != null
                ? failure.getNextException()
                : failure;
        String message = switch (address.dialect().meaning(cause)) {
            case TAKEN ->
                "another process writes the copy in %s at this moment: run this again when it has ended"
                        .formatted(address.shown());
            case LOST ->
                "%s: %s The copy is that of an earlier commit; run this again when the database answers"
                        .formatted(address.shown(), cause.getMessage());
            case OTHER -> address.shown() + ": " + cause.getMessage();
        };
        return new CommandFailure(CommandFailure.FAILED, message);
    }

    /** Closes the connection; what is not committed is undone. */
    @Override
    public void close() {
        try {
            rows.close();
            connection.rollback();
        } catch (SQLException e) {
            // The connection is lost, and the database undoes the transaction itself.
        }
        try {
            connection.close();
        } catch (SQLException e) {
            // It is lost already.
        }
    }
}
