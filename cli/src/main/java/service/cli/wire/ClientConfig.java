package service.cli.wire;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import service.cli.client.CommandFailure;

/**
 * The operator's own settings: {@code ~/.service/config.yaml}, or the same file below {@code
 * SERVICE_HOME}. A missing file is an empty one.
 */
public final class ClientConfig {
    private final Map<?, ?> root;
    private final Map<String, String> environment;

    private ClientConfig(Map<?, ?> root, Map<String, String> environment) {
        this.root = root;
        this.environment = environment;
    }

    /** The operator's own directory: {@code SERVICE_HOME}, or {@code ~/.service}. */
    public static Path directory(Map<String, String> environment) {
        String home = environment.get("SERVICE_HOME");
        return home != null ? Path.of(home) : Path.of(System.getProperty("user.home"), ".service");
    }

    /** Reads the file that the environment points to. */
    public static ClientConfig read(Map<String, String> environment) {
        Path file = directory(environment).resolve("config.yaml");
        if (!Files.exists(file)) {
            return new ClientConfig(Map.of(), environment);
        }
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        options.setMaxAliasesForCollections(0);
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            Object content = new Yaml(new SafeConstructor(options)).load(reader);
            if (content == null) {
                return new ClientConfig(Map.of(), environment);
            }
            if (content instanceof Map<?, ?> map) {
                return new ClientConfig(map, environment);
            }
            throw CommandFailure.usage(file + " must hold a YAML mapping");
        } catch (IOException | YAMLException e) {
            throw CommandFailure.usage("cannot read " + file + ": " + e.getMessage());
        }
    }

    /** Who writes, where the command line does not say: {@code operator.actor}. */
    public @Nullable String actor() {
        return text("operator", "actor");
    }

    /** One of {@code defaults.{server,store,default_graph,output}}, or null. */
    public @Nullable String defaultOf(String name) {
        return text("defaults", name);
    }

    /**
     * The URL of a server that the operator has named; the name itself where it is a URL already.
     */
    public String serverUrl(String nameOrUrl) {
        if (nameOrUrl.contains("://")) {
            return nameOrUrl;
        }
        String url = text("servers", nameOrUrl, "url");
        if (url == null) {
            throw CommandFailure.usage(
                    "no server is named `"
                            + nameOrUrl
                            + "`; give a URL, or add servers."
                            + nameOrUrl
                            + ".url to config.yaml");
        }
        return url;
    }

    /** The bearer token for a server: a named server's own goes to that server only. */
    public @Nullable String token(String nameOrUrl) {
        if (!nameOrUrl.contains("://")) {
            String own =
                    environment.get(
                            "SERVICE_TOKEN_"
                                    + nameOrUrl
                                            .toUpperCase(java.util.Locale.ROOT)
                                            .replace('-', '_'));
            if (own != null) {
                return own;
            }
        }
        return environment.get("SERVICE_BEARER_TOKEN");
    }

    /**
     * The root of a cluster that the operator has named; the argument itself where it is no such
     * name.
     */
    public String clusterRoot(String nameOrRoot) {
        String root = text("clusters", nameOrRoot, "root");
        return root == null ? nameOrRoot : root;
    }

    private @Nullable String text(String... path) {
        Object value = root;
        for (String step : path) {
            if (!(value instanceof Map<?, ?> map)) {
                return null;
            }
            value = map.get(step);
        }
        return value == null ? null : value.toString();
    }
}
