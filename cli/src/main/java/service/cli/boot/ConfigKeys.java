package service.cli.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.core.error.Suggestion;

/** The keys of {@code config.yaml}. Any other key is refused. */
final class ConfigKeys {
    private static final List<String> OPERATOR = List.of("actor");
    private static final List<String> SERVER = List.of("url", "ca_file");
    private static final List<String> CLUSTER = List.of("root");
    private static final List<String> PROFILE = List.of("server", "cluster", "store", "graph", "output");
    private static final List<String> DEFAULTS = List.of("server", "store", "default_graph", "output");
    private static final List<String> ALIAS =
            List.of("query", "args", "params", "format", "server", "cluster", "graph", "profile");
    private static final List<String> TOP =
            List.of("operator", "servers", "clusters", "profiles", "defaults", "aliases");

    private ConfigKeys() {}

    /**
     * Refuses a file with unknown keys.
     *
     * @param root what the file holds
     * @throws CommandFailure for the first unknown key, with the nearest known one
     */
    static void check(Map<?, ?> root, Path file) {
        check(root, "", TOP, file);
        check(root.get("operator"), "operator", OPERATOR, file);
        check(root.get("defaults"), "defaults", DEFAULTS, file);
        checkEach(root.get("servers"), "servers", SERVER, file);
        checkEach(root.get("clusters"), "clusters", CLUSTER, file);
        checkEach(root.get("profiles"), "profiles", PROFILE, file);
        checkEach(root.get("aliases"), "aliases", ALIAS, file);
    }

    private static void checkEach(@Nullable Object named, String what, List<String> known, Path file) {
        if (named == null) {
            return;
        }
        mapping(named, what, file)
                .forEach((name, entry) -> check(entry == null ? Map.of() : entry, what + "." + name, known, file));
    }

    private static void check(@Nullable Object entry, String what, List<String> known, Path file) {
        if (entry == null) {
            return;
        }
        for (Object key : mapping(entry, what, file).keySet()) {
            if (!known.contains(String.valueOf(key))) {
                String near = Suggestion.didYouMean(String.valueOf(key), known);
                throw CommandFailure.usage("%s has an unknown key `%s`%s; %s"
                        .formatted(
                                file,
                                key,
                                what.isEmpty() ? "" : " in " + what,
                                near == null ? "the keys are " + String.join(", ", known) : near));
            }
        }
    }

    private static Map<?, ?> mapping(Object value, String what, Path file) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw CommandFailure.usage(file + ": " + what + " must be a mapping");
    }
}
