package service.cli.boot;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import service.cli.client.CommandFailure;
import service.core.config.YamlProblem;
import service.core.error.Suggestion;

/**
 * The operator's own settings: {@code ~/.service/config.yaml}, or the same file below {@code SERVICE_HOME}. A missing
 * file is an empty one.
 */
public final class ClientConfig {
    static final String CA_FILE = "SERVICE_CA_FILE";
    private static final String FILE = "config.yaml";

    private final Map<?, ?> root;
    private final Map<String, String> environment;

    private ClientConfig(Map<?, ?> root, Map<String, String> environment) {
        this.root = root;
        this.environment = environment;
    }

    /** The operator's own directory: {@code SERVICE_HOME}, or {@code ~/.service}. */
    public static Path directory(Map<String, String> environment) {
        String home = environment.get("SERVICE_HOME");
        if (home != null) {
            return Path.of(home);
        }
        // As other programs do; the JVM's property comes from the passwd file and is not what containers and CI set.
        String user = environment.get("HOME");
        return Path.of(user == null || user.isEmpty() ? System.getProperty("user.home") : user, ".service");
    }

    /** Reads the file that the environment points to. */
    public static ClientConfig read(Map<String, String> environment) {
        Path file = directory(environment).resolve(FILE);
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
                ConfigKeys.check(map, file);
                return new ClientConfig(map, environment);
            }
            throw CommandFailure.usage(file + " must hold a YAML mapping");
        } catch (IOException | YAMLException e) {
            throw CommandFailure.usage("cannot read " + file + ": " + oneLine(e));
        }
    }

    /** The author of writes without {@code --as}: {@code operator.actor}. */
    public @Nullable String actor() {
        return text("operator", "actor");
    }

    /** One of {@code defaults.{server,store,default_graph,output}}, or null. */
    public @Nullable String defaultOf(String name) {
        return text("defaults", name);
    }

    /** The URL of a server that the operator has named; the name itself where it is a URL already. */
    public String serverUrl(String nameOrUrl) {
        if (nameOrUrl.contains("://")) {
            return nameOrUrl;
        }
        String url = text("servers", nameOrUrl, "url");
        if (url == null) {
            if (nameOrUrl.matches("[^/]+:[0-9]+(/.*)?")) {
                throw CommandFailure.usage(
                        "a server is a name of config.yaml or a URL; did you mean `http://" + nameOrUrl + "`?");
            }
            Map<?, ?> servers = root.get("servers") instanceof Map<?, ?> map ? map : Map.of();
            String near = Suggestion.didYouMean(
                    nameOrUrl, servers.keySet().stream().map(Object::toString).toList());
            throw CommandFailure.usage("no server is named `" + nameOrUrl + "`; "
                    + (near == null
                            ? "give a URL, or add servers." + nameOrUrl + ".url to "
                                    + directory(environment).resolve(FILE)
                            : near));
        }
        return url;
    }

    /**
     * The bearer token for a server, or null. A named server's own token (from {@code SERVICE_TOKEN_<NAME>}, else from
     * a login) goes to that server only; {@code SERVICE_BEARER_TOKEN} to every server without one.
     */
    public @Nullable String token(String nameOrUrl) {
        if (!nameOrUrl.contains("://")) {
            String own = environment.get(tokenVariable(nameOrUrl));
            if (own == null) {
                own = Credentials.of(environment).token(nameOrUrl);
            }
            if (own != null) {
                return own;
            }
        }
        return environment.get("SERVICE_BEARER_TOKEN");
    }

    /**
     * A PEM file with authorities that sign certificates of servers, beside those of this Java:
     * {@code servers.<name>.ca_file}, which is relative to the directory of the configuration, else
     * {@code SERVICE_CA_FILE}; null for neither.
     */
    public @Nullable Path authorities(String nameOrUrl) {
        String own = nameOrUrl.contains("://") ? null : text("servers", nameOrUrl, "ca_file");
        String common = environment.get(CA_FILE);
        try {
            return own != null
                    ? directory(environment).resolve(own)
                    : common == null || common.isEmpty() ? null : Path.of(common);
        } catch (InvalidPathException e) {
            throw CommandFailure.usage("`" + e.getInput() + "` is no path of this system");
        }
    }

    /** The variable that holds the token of a named server. */
    public static String tokenVariable(String server) {
        return "SERVICE_TOKEN_" + server.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }

    /** Whether the configuration knows a server of that name. */
    public boolean knowsServer(String name) {
        return text("servers", name, "url") != null;
    }

    /**
     * A named address of a graph.
     *
     * @param server name or URL; at most one of server, cluster and store is not null
     * @param output format of answers, or null
     */
    public record Profile(
            String name,
            @Nullable String server,
            @Nullable String cluster,
            @Nullable String store,
            @Nullable String graph,
            @Nullable String output) {}

    /** All profiles by name. */
    public List<Profile> profiles() {
        List<Profile> profiles = new ArrayList<>();
        if (root.get("profiles") instanceof Map<?, ?> map) {
            new TreeSet<>(map.keySet().stream().map(Object::toString).toList())
                    .forEach(name -> profiles.add(profile(name)));
        }
        return profiles;
    }

    /**
     * The profile of that name.
     *
     * @throws CommandFailure when there is none, or it has unknown keys or more than one address
     */
    public Profile profile(String name) {
        if (!(root.get("profiles") instanceof Map<?, ?> all) || !(all.get(name) instanceof Map<?, ?>)) {
            throw CommandFailure.usage("no profile is named `"
                    + name
                    + "`; `service profile list` shows those of "
                    + directory(environment).resolve(FILE));
        }
        String server = text("profiles", name, "server");
        String cluster = text("profiles", name, "cluster");
        String store = text("profiles", name, "store");
        if (Stream.of(server, cluster, store).filter(Objects::nonNull).count() > 1) {
            throw CommandFailure.usage("profile `" + name + "` has more than one of server, cluster and store");
        }
        return new Profile(
                name, server, cluster, store, text("profiles", name, "graph"), text("profiles", name, "output"));
    }

    /** The entry of an alias, or null. */
    public @Nullable Map<?, ?> alias(String name) {
        return aliases().get(name) instanceof Map<?, ?> alias ? alias : null;
    }

    /** All aliases, as the file has them. */
    public Map<?, ?> aliases() {
        return root.get("aliases") instanceof Map<?, ?> map ? map : Map.of();
    }

    /** The root of a cluster that the operator has named; the argument itself where it is no such name. */
    public String clusterRoot(String nameOrRoot) {
        String root = text("clusters", nameOrRoot, "root");
        return root == null ? nameOrRoot : root;
    }

    private static String oneLine(Exception failure) {
        if (failure instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
            YamlProblem problem = YamlProblem.of(marked.getProblem());
            return "line %d, column %d: %s%s"
                    .formatted(
                            marked.getProblemMark().getLine() + 1,
                            marked.getProblemMark().getColumn() + 1,
                            problem.message(),
                            problem.hint() == null ? "" : ": " + problem.hint());
        }
        return String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
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
