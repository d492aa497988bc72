package service.connect;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/** The settings of a connector. Any thread. */
final class GraphSourceConfig extends AbstractConfig {
    static final String SERVER_URL = "server.url";
    static final String TOKEN = "token";
    static final String GRAPH = "graph";
    static final String BRANCH = "branch";
    static final String TOPIC_PREFIX = "topic.prefix";
    static final String TOPIC = "topic";
    static final String SNAPSHOT_MODE = "snapshot.mode";
    static final String INCLUDE_TYPES = "include.types";
    static final String KINDS = "kinds";
    static final String TOMBSTONES = "tombstones.on.delete";
    static final String PAGE_CHANGES = "page.changes";
    static final String HEARTBEAT = "heartbeat.interval.ms";
    static final String SNAPSHOT_TRANSACTION = "snapshot.transaction.records";
    static final String RETRY_MAX = "retry.backoff.max.ms";

    /** Of the framework: who says where a transaction ends. */
    static final String TRANSACTION_BOUNDARY = "transaction.boundary";

    /** What happens when there is no place to continue from. */
    enum SnapshotMode {
        /** A baseline at the first start; a gap ends the task. */
        INITIAL,

        /** The commits after the first start; a gap ends the task. */
        NO_DATA,

        /** A baseline at the first start and after a gap. */
        WHEN_NEEDED;

        static SnapshotMode of(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }
    }

    private static final int PAGE_CHANGES_MAX = 10_000;

    static final ConfigDef DEFINITION = new ConfigDef()
            .define(
                    SERVER_URL,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    GraphSourceConfig::requireUrl,
                    Importance.HIGH,
                    "The address of the server, such as http://graphs.example.com:8080.")
            .define(
                    TOKEN,
                    ConfigDef.Type.PASSWORD,
                    null,
                    Importance.HIGH,
                    "The bearer token, which must grant `read` on the branch; best by a config provider.")
            .define(
                    GRAPH,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "The id of the graph.")
            .define(
                    BRANCH,
                    ConfigDef.Type.STRING,
                    "main",
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "The branch that is followed.")
            .define(
                    TOPIC_PREFIX,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    GraphSourceConfig::requireTopicName,
                    Importance.HIGH,
                    "Begins the names of topics: PREFIX.GRAPH.TYPE for each type, PREFIX.GRAPH.schema for the schema.")
            .define(
                    TOPIC,
                    ConfigDef.Type.STRING,
                    null,
                    GraphSourceConfig::requireTopicName,
                    Importance.MEDIUM,
                    "One topic for the entities of all types; their keys then also have the type.")
            .define(
                    SNAPSHOT_MODE,
                    ConfigDef.Type.STRING,
                    "initial",
                    ConfigDef.CaseInsensitiveValidString.in("initial", "no_data", "when_needed"),
                    Importance.MEDIUM,
                    "initial: first the present state, then each commit. no_data: only commits after the first start."
                            + " when_needed: as initial, and the present state again where cleanup has left a gap.")
            .define(
                    INCLUDE_TYPES,
                    ConfigDef.Type.LIST,
                    "",
                    Importance.MEDIUM,
                    "The types whose entities are sent; all when it is empty.")
            .define(
                    KINDS,
                    ConfigDef.Type.LIST,
                    "node,edge",
                    ConfigDef.ValidList.in("node", "edge"),
                    Importance.MEDIUM,
                    "Whether nodes, edges or both are sent.")
            .define(
                    TOMBSTONES,
                    ConfigDef.Type.BOOLEAN,
                    true,
                    Importance.MEDIUM,
                    "Whether a record without a value follows each delete, so that a compacted topic forgets the key.")
            .define(
                    PAGE_CHANGES,
                    ConfigDef.Type.INT,
                    1_000,
                    ConfigDef.Range.between(1, PAGE_CHANGES_MAX),
                    Importance.LOW,
                    "The most changes that the task holds at once. A larger commit is sent in pieces.")
            .define(
                    HEARTBEAT,
                    ConfigDef.Type.LONG,
                    60_000L,
                    ConfigDef.Range.atLeast(0),
                    Importance.LOW,
                    "How often the place is written to the schema topic while the filters let no record through;"
                            + " 0 is never.")
            .define(
                    SNAPSHOT_TRANSACTION,
                    ConfigDef.Type.INT,
                    100_000,
                    ConfigDef.Range.atLeast(1),
                    Importance.LOW,
                    "With exactly-once support: the most records of a baseline in one transaction. The worker holds the"
                            + " records of a transaction in memory.")
            .define(
                    RETRY_MAX,
                    ConfigDef.Type.LONG,
                    10_000L,
                    ConfigDef.Range.between(100, 600_000),
                    Importance.LOW,
                    "The longest pause between two attempts to reach a server that does not answer.");

    GraphSourceConfig(Map<String, String> properties) {
        super(DEFINITION, properties, false);
    }

    /** The address of the server, without a slash at its end. */
    String server() {
        String url = getString(SERVER_URL);
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    @Nullable
    String token() {
        Password token = getPassword(TOKEN);
        return token == null ? null : token.value();
    }

    String graph() {
        return getString(GRAPH);
    }

    String branch() {
        return getString(BRANCH);
    }

    String prefix() {
        return getString(TOPIC_PREFIX);
    }

    SnapshotMode snapshotMode() {
        return SnapshotMode.of(getString(SNAPSHOT_MODE));
    }

    /** Whether one topic has the entities of all types. */
    boolean isOneTopic() {
        return getString(TOPIC) != null;
    }

    /** The topic of the entities of a type. */
    String topic(String type) {
        String topic = getString(TOPIC);
        return topic == null ? prefix() + "." + graph() + "." + type : topic;
    }

    /** The topic of schemas. The names of types begin with a capital letter, so that none has it. */
    String schemaTopic() {
        return prefix() + "." + graph() + ".schema";
    }

    List<String> types() {
        return getList(INCLUDE_TYPES);
    }

    /** Whether the entities of a type are sent. */
    boolean includes(boolean edge, String type) {
        return getList(KINDS).contains(edge ? "edge" : "node") && (types().isEmpty() || types().contains(type));
    }

    boolean tombstones() {
        return getBoolean(TOMBSTONES);
    }

    int pageChanges() {
        return getInt(PAGE_CHANGES);
    }

    long heartbeatMillis() {
        return getLong(HEARTBEAT);
    }

    int snapshotTransactionRecords() {
        return getInt(SNAPSHOT_TRANSACTION);
    }

    long retryMaxMillis() {
        return getLong(RETRY_MAX);
    }

    /** What the offsets of this graph and branch are stored under. */
    Map<String, String> partition() {
        return Map.of("server", prefix(), "graph", graph(), "branch", branch());
    }

    private static void requireUrl(String name, @Nullable Object value) {
        if (value == null) {
            return;
        }
        try {
            URI url = URI.create(value.toString());
            if (url.getHost() != null
                    && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
                    && url.getQuery() == null
                    && url.getFragment() == null
                    && url.getUserInfo() == null) {
                return;
            }
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        throw new ConfigException(name, value, "it must be an address such as http://graphs.example.com:8080");
    }

    private static void requireTopicName(String name, @Nullable Object value) {
        if (value != null && !value.toString().matches("[A-Za-z0-9._-]{1,150}")) {
            throw new ConfigException(name, value, "it must have 1 to 150 letters, digits, `.`, `_` and `-`");
        }
    }
}
