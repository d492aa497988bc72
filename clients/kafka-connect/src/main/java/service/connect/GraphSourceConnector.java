package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.jspecify.annotations.Nullable;

/** Sends the commits of one branch of a graph to Kafka, by one task. */
public final class GraphSourceConnector extends SourceConnector {
    static final String VERSION =
            version(GraphSourceConnector.class.getPackage().getImplementationVersion());

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private Map<String, String> properties = Map.of();

    /** Kafka Connect makes the connector. */
    public GraphSourceConnector() {}

    private static String version(@Nullable String ofJar) {
        return ofJar == null ? "development" : ofJar;
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public void start(Map<String, String> given) {
        properties = Map.copyOf(given);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return GraphSourceTask.class;
    }

    /** A feed is in order, so that one task reads it. */
    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        return List.of(properties);
    }

    @Override
    public void stop() {
        // Only tasks hold anything.
    }

    @Override
    public ConfigDef config() {
        return GraphSourceConfig.DEFINITION;
    }

    /** Also asks the server for the graph and branch, and says which setting is wrong where it refuses. */
    @Override
    public Config validate(Map<String, String> given) {
        Config config = super.validate(given);
        if (config.configValues().stream()
                .allMatch(value -> value.errorMessages().isEmpty())) {
            GraphSourceConfig checked = new GraphSourceConfig(given);
            try (GraphClient client = new GraphClient(checked, PATIENCE)) {
                requireTypes(config, checked, client.catalogOfHead());
            } catch (ServerRefusal e) {
                error(config, GraphSourceTask.setting(e), GraphSourceTask.explain(checked, e));
            } catch (IOException e) {
                String why = checked.server() + " does not answer: " + e.getMessage();
                error(config, GraphSourceConfig.SERVER_URL, why);
            }
        }
        return config;
    }

    private static void requireTypes(Config config, GraphSourceConfig checked, JsonNode catalog) {
        TreeSet<String> types = new TreeSet<>();
        catalog.path("nodes").forEach(type -> types.add(type.path("name").asText()));
        catalog.path("edges").forEach(type -> types.add(type.path("name").asText()));
        for (String type : checked.types()) {
            if (!types.contains(type)) {
                error(
                        config,
                        GraphSourceConfig.INCLUDE_TYPES,
                        "the graph has no type `" + type + "`, but " + String.join(", ", types));
            }
        }
    }

    private static void error(Config config, String setting, String message) {
        for (ConfigValue value : config.configValues()) {
            if (value.name().equals(setting)) {
                value.addErrorMessage(message);
            }
        }
    }

    /** A commit larger than a page is whole for readers only where the task says where transactions end. */
    @Override
    public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> given) {
        return "connector".equalsIgnoreCase(given.get(GraphSourceConfig.TRANSACTION_BOUNDARY))
                ? ExactlyOnceSupport.SUPPORTED
                : ExactlyOnceSupport.UNSUPPORTED;
    }

    @Override
    public ConnectorTransactionBoundaries canDefineTransactionBoundaries(Map<String, String> given) {
        return ConnectorTransactionBoundaries.SUPPORTED;
    }

    /** Takes offsets of the form that tasks store, and no offset at all. */
    @Override
    public boolean alterOffsets(Map<String, String> given, Map<Map<String, ?>, Map<String, ?>> offsets) {
        offsets.values().stream().filter(offset -> offset != null).forEach(Position::of);
        return true;
    }
}
