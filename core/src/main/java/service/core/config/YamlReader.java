package service.core.config;

import java.io.StringReader;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import service.core.error.Suggestion;

/**
 * Reads YAML strictly, with the position of every finding: no aliases, no tags, no duplicate or unknown keys. Works on
 * the node graph, which holds line numbers, and never constructs objects from tags.
 */
public final class YamlReader {
    /** More than any file of the cluster has. The time of the parser grows with the depth of each token. */
    static final int DEPTH_MAX = 50;

    /** Findings about tags and aliases of one file; the rest of it is not read. */
    static final int FINDINGS_MAX = 100;

    private final String file;
    private final String codes;
    private final List<ConfigDiagnostic> found;

    /** The key of each value of a mapping, for findings about keys. */
    private final IdentityHashMap<Node, Node> keyOf = new IdentityHashMap<>();

    /**
     * A reader of one file.
     *
     * @param file the name of the file in findings
     * @param codes prefix of the codes of the findings, such as {@code CL}; this reader uses {@code 001} to {@code 005}
     * @param found receives the findings
     */
    public YamlReader(String file, String codes, List<ConfigDiagnostic> found) {
        this.file = file;
        this.codes = codes;
        this.found = found;
    }

    /** The root of a document, or null when it cannot be read (the finding is recorded). */
    public @Nullable Node parse(String text) {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(0);
        options.setNestingDepthLimit(DEPTH_MAX);
        try {
            if (!isPlain(new Yaml(options).parse(new StringReader(text)))) {
                return null;
            }
            Node root = new Yaml(options).compose(new StringReader(text));
            if (root == null) {
                report((Mark) null, "001", "the file is empty");
                return null;
            }
            return root;
        } catch (MarkedYAMLException e) {
            YamlProblem problem = YamlProblem.of(e.getProblem());
            report(e.getProblemMark(), "001", "not YAML: " + problem.message(), problem.hint());
            return null;
        } catch (YAMLException e) {
            report((Mark) null, "001", "not YAML: " + e.getMessage());
            return null;
        }
    }

    /**
     * Whether there is neither a written tag nor an alias, nor a value that is nested too deep. Checked on the events,
     * because composed nodes no longer show tags and aliases, and because reading on would take minutes for a deep
     * file.
     */
    private boolean isPlain(Iterable<Event> events) {
        int findings = 0;
        int depth = 0;
        for (Event event : events) {
            switch (event) {
                case CollectionStartEvent start -> depth++;
                case CollectionEndEvent end -> depth--;
                default -> {}
            }
            if (depth > DEPTH_MAX) {
                report(event.getStartMark(), "001", "a value is nested deeper than " + DEPTH_MAX + " levels");
                return false;
            }
            String fault = fault(event);
            if (fault != null) {
                report(event.getStartMark(), "002", fault);
                findings++;
            }
            if (findings == FINDINGS_MAX) {
                return false;
            }
        }
        return findings == 0;
    }

    private static @Nullable String fault(Event event) {
        boolean tagged = switch (event) {
            case ScalarEvent scalar -> scalar.getTag() != null;
            case CollectionStartEvent start -> start.getTag() != null;
            default -> false;
        };
        if (tagged) {
            return "tags are not allowed; write the plain value";
        }
        return event instanceof AliasEvent ? "aliases are not allowed; write the value out" : null;
    }

    /** The entries of a mapping by key; empty, with a finding, when the node is not a mapping or a key occurs twice. */
    public Map<String, Node> mapping(@Nullable Node node, String what) {
        Map<String, Node> entries = new LinkedHashMap<>();
        if (!(node instanceof MappingNode mapping)) {
            if (node != null) {
                report(node, "003", what + " must be a mapping");
            }
            return entries;
        }
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                report(tuple.getKeyNode(), "003", "a key of " + what + " must be a word");
            } else if (entries.putIfAbsent(key.getValue(), tuple.getValueNode()) != null) {
                report(key, "004", "the key `" + key.getValue() + "` occurs twice in " + what);
            } else {
                keyOf.put(tuple.getValueNode(), key);
            }
        }
        return entries;
    }

    /** {@link #mapping} with a fixed set of keys. */
    public Map<String, Node> object(@Nullable Node node, String what, Set<String> known) {
        Map<String, Node> entries = mapping(node, what);
        for (Map.Entry<String, Node> entry : entries.entrySet()) {
            if (!known.contains(entry.getKey())) {
                reportKey(
                        entry.getValue(),
                        "005",
                        "unknown key `" + entry.getKey() + "` in " + what,
                        nearestOrKnown(entry.getKey(), known));
            }
        }
        return entries;
    }

    /** The hint for an unknown name: the nearest known one, or all of them where none is near. */
    public static String nearestOrKnown(String name, Collection<String> known) {
        String meant = Suggestion.didYouMean(name, known);
        return meant == null
                ? "known are " + String.join(", ", known.stream().sorted().toList())
                : meant;
    }

    /** The text of a scalar; null, with a finding, when the node is not a scalar. */
    public @Nullable String text(@Nullable Node node, String what) {
        if (node == null) {
            return null;
        }
        if (node instanceof ScalarNode scalar && !scalar.getTag().equals(Tag.NULL)) {
            return scalar.getValue();
        }
        report(node, "003", what + " must be a text");
        return null;
    }

    /** The items of a sequence; empty, with a finding, when the node is not a sequence. */
    public List<Node> items(@Nullable Node node, String what) {
        if (node instanceof SequenceNode sequence) {
            return sequence.getValue();
        }
        if (node != null) {
            report(node, "003", what + " must be a list");
        }
        return List.of();
    }

    /** Whether a value is missing after its key. */
    public boolean isNothing(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    /** A position in the file, from 1. */
    public record Place(int line, int column) {}

    /** The position of the key of a value. */
    public Place placeOfKey(Node value) {
        Mark mark = keyOf.getOrDefault(value, value).getStartMark();
        return new Place(mark.getLine() + 1, mark.getColumn() + 1);
    }

    /** A finding at the key of a value. */
    public void reportKey(Node value, String number, String message) {
        reportKey(value, number, message, null);
    }

    /** A finding at the key of a value, with what to write instead. */
    public void reportKey(Node value, String number, String message, @Nullable String hint) {
        report(keyOf.getOrDefault(value, value), number, message, hint);
    }

    /** A finding at a node; without a position when it is null. */
    public void report(@Nullable Node node, String number, String message) {
        report(node, number, message, null);
    }

    /** A finding at a node, with what to write instead; without a position when the node is null. */
    public void report(@Nullable Node node, String number, String message, @Nullable String hint) {
        report(node == null ? null : node.getStartMark(), number, message, hint);
    }

    private void report(@Nullable Mark mark, String number, String message) {
        report(mark, number, message, null);
    }

    private void report(@Nullable Mark mark, String number, String message, @Nullable String hint) {
        found.add(new ConfigDiagnostic(
                codes + "-" + number,
                message,
                file,
                mark == null ? 0 : mark.getLine() + 1,
                mark == null ? 0 : mark.getColumn() + 1,
                hint));
    }
}
