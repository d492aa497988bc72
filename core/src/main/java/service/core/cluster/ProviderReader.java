package service.core.cluster;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import service.core.config.ConfigDiagnostic;
import service.core.config.YamlReader;
import service.core.port.EmbeddingSource;
import service.core.port.EmbeddingSource.Kind;

/**
 * Reads the section {@code providers} of {@code cluster.yaml}, and the provider that a graph names.
 *
 * <p>A key is never written, only the variable that has it. Where one is written all the same, no finding shows the
 * line that it stands on.
 */
final class ProviderReader {
    private static final int DIMENSIONS_MAX = 4_096;
    private static final String VARIABLE = "\\$\\{[A-Za-z_][A-Za-z0-9_]{0,127}\\}";

    /** The lines of the file, from 1, that may hold a secret: the first and the last of each. */
    private record Secret(int first, int last) {}

    private final YamlReader yaml;
    private final NavigableMap<String, EmbeddingSource> embedding = new TreeMap<>();
    private final List<Secret> secrets = new ArrayList<>();

    /** The names of all declared providers, also of those with findings. */
    private Set<String> declared = Set.of();

    ProviderReader(YamlReader yaml) {
        this.yaml = yaml;
    }

    /** Reads the section; null when it is not there. */
    void read(@Nullable Node providers) {
        Node node = yaml.object(providers, "providers", Set.of("embedding")).get("embedding");
        Map<String, Node> entries = yaml.mapping(node, "providers.embedding");
        declared = entries.keySet();
        entries.forEach((name, provider) -> {
            EmbeddingSource source = readOne(name, provider);
            if (source != null) {
                embedding.put(name, source);
            }
        });
    }

    /** The provider that a graph names; null, with a finding, for one that is not declared. */
    @Nullable
    EmbeddingSource named(@Nullable Node node, String what) {
        String name = yaml.text(node, what);
        if (name != null && !declared.contains(name)) {
            yaml.report(
                    node,
                    "016",
                    what + " is `" + name + "`, which providers.embedding does not declare",
                    declared.isEmpty() ? null : YamlReader.nearestOrKnown(name, declared));
        }
        return name == null ? null : embedding.get(name);
    }

    /** The findings, without their position where its line holds a secret, so that the line is not printed. */
    List<ConfigDiagnostic> shown(List<ConfigDiagnostic> findings) {
        return findings.stream()
                .map(found -> isSecret(found)
                        ? new ConfigDiagnostic(found.code(), found.message(), found.file(), 0, 0, found.hint())
                        : found)
                .toList();
    }

    private boolean isSecret(ConfigDiagnostic found) {
        return found.file().equals(ClusterConfigReader.FILE)
                && secrets.stream().anyMatch(at -> at.first <= found.line() && found.line() <= at.last);
    }

    private @Nullable EmbeddingSource readOne(String name, Node node) {
        String what = "embedding provider `" + name + "`";
        if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
            yaml.reportKey(node, "007", what + ": a provider's name is 1 to 64 of A-Z a-z 0-9 _ -");
        }
        Map<String, Node> keys = yaml.object(node, what, Set.of("kind", "base_url", "model", "api_key", "dimensions"));
        String word = yaml.text(keys.get("kind"), what + ": kind");
        Kind kind = word == null ? null : Kind.named(word);
        if (kind == null) {
            List<String> words = Arrays.stream(Kind.values()).map(Kind::word).toList();
            yaml.report(
                    keys.getOrDefault("kind", node),
                    "016",
                    word == null ? what + " has no kind" : what + ": kind `" + word + "` is unknown",
                    word == null ? "known are " + String.join(", ", words) : YamlReader.nearestOrKnown(word, words));
        }
        String url = readUrl(keys.get("base_url"), what);
        String model = yaml.text(keys.get("model"), what + ": model");
        String variable = readKey(keys.get("api_key"), what);
        int dimensions = readDimensions(keys.get("dimensions"), what);
        if (kind == null) {
            return null;
        }
        switch (kind) {
            case OPENAI_COMPATIBLE -> {
                require(keys, node, what, "base_url", "model");
                refuse(keys, what, kind, "dimensions");
            }
            case MOCK -> {
                require(keys, node, what, "dimensions");
                refuse(keys, what, kind, "base_url", "api_key");
                model = model == null ? kind.word() : model;
            }
        }
        return model == null ? null : new EmbeddingSource(name, kind, url, model, variable, dimensions);
    }

    private void require(Map<String, Node> keys, Node node, String what, String... names) {
        for (String name : names) {
            if (!keys.containsKey(name)) {
                yaml.reportKey(node, "016", what + " has no " + name);
            }
        }
    }

    private void refuse(Map<String, Node> keys, String what, Kind kind, String... names) {
        for (String name : names) {
            if (keys.containsKey(name)) {
                yaml.reportKey(keys.get(name), "016", what + ": kind " + kind.word() + " takes no " + name);
            }
        }
    }

    /** The base of the provider's routes: https, or http to this machine. */
    private @Nullable String readUrl(@Nullable Node node, String what) {
        String text = yaml.text(node, what + ": base_url");
        if (node == null || text == null) {
            return null;
        }
        String fault = fault(text);
        if (fault != null) {
            hide(node);
            yaml.report(node, "016", what + ": base_url " + fault);
            return null;
        }
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    /** What is wrong with a URL, without the URL, which may hold a secret. */
    private static @Nullable String fault(String text) {
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException e) {
            return "is not a URL";
        }
        String scheme = url.getScheme();
        String host = url.getHost();
        if (scheme == null || host == null) {
            return "is not a URL; write it as https://host/v1";
        }
        if (url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null) {
            return "is a host and a path alone, without a user, a query or a fragment; a key is api_key: ${VARIABLE}";
        }
        boolean loopback = host.equals("localhost") || host.matches("127(\\.[0-9]{1,3}){3}") || host.equals("[::1]");
        return scheme.equals("https") || (scheme.equals("http") && loopback)
                ? null
                : "is https, or http to this machine (127.0.0.1, localhost, [::1])";
    }

    private @Nullable String readKey(@Nullable Node node, String what) {
        if (node == null) {
            return null;
        }
        String text = yaml.text(node, what + ": api_key");
        if (text != null && text.matches(VARIABLE)) {
            return text.substring("${".length(), text.length() - 1);
        }
        hide(node);
        if (text != null) {
            yaml.report(
                    node,
                    "016",
                    what + ": api_key names the environment variable that has the key; a key is never written here",
                    "write api_key: \"${EMBED_KEY}\", and take the key that was written for known to others");
        }
        return null;
    }

    private void hide(Node node) {
        secrets.add(
                new Secret(node.getStartMark().getLine() + 1, node.getEndMark().getLine() + 1));
    }

    private int readDimensions(@Nullable Node node, String what) {
        String text = yaml.text(node, what + ": dimensions");
        if (text == null) {
            return 0;
        }
        if (!text.matches("[1-9][0-9]{0,3}") || Integer.parseInt(text) > DIMENSIONS_MAX) {
            yaml.report(node, "016", what + ": dimensions is a whole number from 1 to " + DIMENSIONS_MAX);
            return 0;
        }
        return Integer.parseInt(text);
    }
}
