package service.core.graph;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;

/**
 * The {@code settings} object of a request, merged over the process's defaults ({@code
 * language.md}, Settings).
 */
public final class RequestSettings {
    private RequestSettings() {}

    /**
     * The settings of one request.
     *
     * @param defaults of the process; a request may lower its limits and not raise them
     * @param settings setting name to value, or null
     * @throws ServiceException BAD_REQUEST for an unknown name, a wrong type or a value out of
     *     range
     */
    public static Settings merge(Settings defaults, @Nullable ObjectNode settings) {
        if (settings == null) {
            return defaults;
        }
        long timeoutMillis = defaults.timeoutMillis();
        long workLimit = defaults.workLimit();
        long rowLimit = defaults.rowLimit();
        for (Map.Entry<String, JsonNode> setting : settings.properties()) {
            String name = setting.getKey();
            JsonNode value = setting.getValue();
            switch (name) {
                case "timeout_ms" -> timeoutMillis = lowered(name, value, timeoutMillis);
                case "work_limit" -> workLimit = lowered(name, value, workLimit);
                case "row_limit" -> rowLimit = lowered(name, value, rowLimit);
                case "merge_granularity" -> {
                    if (!value.isTextual()
                            || !(value.textValue().equals("entity")
                                    || value.textValue().equals("property"))) {
                        throw ServiceException.badRequest(
                                "setting `merge_granularity` must be `entity` or `property`, default `entity`");
                    }
                }
                case "commit_group_micros" ->
                        throw ServiceException.badRequest(
                                "setting `commit_group_micros` (0..100000, default 0) belongs to the process; set"
                                        + " SERVICE_COMMIT_GROUP_MICROS before start");
                default ->
                        throw ServiceException.badRequest(
                                "setting `"
                                        + name
                                        + "` is unknown; known: timeout_ms, work_limit, row_limit, merge_granularity");
            }
        }
        return new Settings(
                (int) timeoutMillis, workLimit, (int) rowLimit, defaults.memoryMaxBytes());
    }

    private static long lowered(String name, JsonNode value, long limit) {
        if (value.isIntegralNumber()
                && value.canConvertToLong()
                && value.longValue() >= 1
                && value.longValue() <= limit) {
            return value.longValue();
        }
        throw ServiceException.badRequest(
                "setting `"
                        + name
                        + "` must be an integer from 1 to "
                        + limit
                        + ", which is also its default");
    }
}
