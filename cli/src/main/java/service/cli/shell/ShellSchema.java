package service.cli.shell;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.schema.Annotation;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyType;

/** The names of a schema that fit an unfinished text. Immutable. */
public final class ShellSchema {
    private static final Pattern BINDING = Pattern.compile("\\$(\\w+)\\s*:\\s*([A-Z]\\w*)");
    private static final Pattern WRITTEN = Pattern.compile("\\binsert\\s+([A-Z]\\w*)\\s*\\{[^}]*}\\s*as\\s+\\$(\\w+)");

    /** The left end, the variable before the edge, the edge, the bounds of hops, the right end. */
    private static final Pattern TRAVERSAL = Pattern.compile("\\$(\\w+)\\s+(?:\\$(\\w+)\\s*:\\s*)?"
            + GqCompletion.MODE
            + "[<(]?\\s*([a-z]\\w*)(?:\\s*\\|\\s*\\w+)*\\s*[>)]?\\s*(\\{[^{}]*(?:\\{[^{}]*}[^{}]*)*})?\\s*\\$(\\w+)");

    /** The edge of a walk, and the names of the source, the edge and the destination of its steps. */
    private static final Pattern STEP =
            Pattern.compile("([a-z]\\w*)\\s*[>)]?\\s*\\{[^{}|]*\\|\\s*\\$(\\w+)\\s+\\$(\\w+)\\s+\\$(\\w+)");

    /** What matters for the end of a declaration: braces, words, and what may hold braces, which is skipped whole. */
    private static final Pattern TOKEN =
            Pattern.compile("//[^\n]*|/\\*(?s:.*?)\\*/|\"(?:[^\"\\\\]|\\\\.)*\"|[{}]|\\w+");

    private final Catalog catalog;

    public ShellSchema(Catalog catalog) {
        this.catalog = catalog;
    }

    /** Nodes, interfaces and edges as they are declared. */
    SortedSet<String> types() {
        SortedSet<String> names = nodeTypes();
        catalog.edges().forEach(edge -> names.add(edge.name()));
        return names;
    }

    /** The types that a binding may name. */
    SortedSet<String> nodeTypes() {
        SortedSet<String> names = new TreeSet<>();
        catalog.nodes().forEach(node -> names.add(node.name()));
        catalog.interfaces().forEach(type -> names.add(type.name()));
        return names;
    }

    /** The edges as a traversal spells them; only those that leave or reach the type, if known. */
    SortedSet<String> edges(@Nullable String nodeType) {
        EntityType.NodeType node = nodeType == null ? null : catalog.node(nodeType);
        SortedSet<String> names = new TreeSet<>();
        for (EntityType.EdgeType edge : catalog.edges()) {
            if (node == null
                    || edge.source().has(node.identity())
                    || edge.destination().has(node.identity())) {
                names.add(written(edge.name()));
            }
        }
        return names;
    }

    /** The properties of a type, or of all types when it is not known. */
    SortedSet<String> properties(@Nullable String type) {
        SortedSet<String> names = new TreeSet<>();
        if (type != null && !propertiesOf(type).isEmpty()) {
            propertiesOf(type).forEach(property -> names.add(property.name()));
            return names;
        }
        catalog.nodes().forEach(node -> node.properties().forEach(p -> names.add(p.name())));
        catalog.edges().forEach(edge -> edge.properties().forEach(p -> names.add(p.name())));
        return names;
    }

    /** The words of a property of an enum; none where the type or the property is not known, or no enum. */
    List<String> words(@Nullable String type, String property) {
        return (type == null ? List.<Property>of() : propertiesOf(type))
                .stream()
                        .filter(each -> each.name().equals(property))
                        .flatMap(each -> each.type() instanceof PropertyType.EnumOf words
                                ? words.values().stream()
                                : Stream.<String>empty())
                        .toList();
    }

    private List<Property> propertiesOf(String type) {
        EntityType entity = type(type);
        if (entity != null) {
            return entity.properties();
        }
        var shared = catalog.interfaceType(type);
        return shared == null ? List.of() : shared.properties();
    }

    private @Nullable EntityType type(String name) {
        EntityType node = catalog.node(name);
        return node != null ? node : catalog.edge(name);
    }

    boolean isEdge(@Nullable String type) {
        return type != null && catalog.edge(type) != null;
    }

    /** The variables that a text binds, with their types as far as they are known. */
    public SortedMap<String, String> variables(String text) {
        SortedMap<String, String> types = new TreeMap<>();
        Matcher traversal = TRAVERSAL.matcher(text);
        for (int from = 0; traversal.find(from); from = traversal.start(5) - 1) {
            EntityType.EdgeType edge = catalog.edge(traversal.group(3));
            if (edge != null) {
                types.putIfAbsent(traversal.group(1), edge.source().text());
                types.putIfAbsent(traversal.group(5), edge.destination().text());
                boolean isPath = traversal.group(4) != null;
                if (traversal.group(2) != null && !isPath) {
                    types.put(traversal.group(2), edge.name());
                }
            }
        }
        Matcher step = STEP.matcher(text);
        while (step.find()) {
            EntityType.EdgeType edge = catalog.edge(step.group(1));
            if (edge != null) {
                types.putIfAbsent(step.group(2), edge.source().text());
                types.put(step.group(3), edge.name());
                types.putIfAbsent(step.group(4), edge.destination().text());
            }
        }
        Matcher written = WRITTEN.matcher(text);
        while (written.find()) {
            if (type(written.group(1)) != null) {
                types.put(written.group(2), written.group(1));
            }
        }
        Matcher binding = BINDING.matcher(text);
        while (binding.find()) {
            if (type(binding.group(2)) != null || catalog.interfaceType(binding.group(2)) != null) {
                types.put(binding.group(1), binding.group(2));
            }
        }
        return types;
    }

    /** A summary of the schema, or of one type: name to its properties. */
    public Map<String, List<String>> summary() {
        Map<String, List<String>> summary = new TreeMap<>();
        for (String type : types()) {
            summary.put(
                    type, propertiesOf(type).stream().map(ShellSchema::shown).toList());
        }
        return summary;
    }

    private static String shown(Property property) {
        return property.name() + ": " + property.type() + (property.nullable() ? "?" : "");
    }

    /** A property of a type with its description, if it has one; null where the type has no such property. */
    public @Nullable String property(String type, String name) {
        return propertiesOf(type).stream()
                .filter(each -> each.name().equals(name))
                .map(each -> {
                    String description = Annotation.argumentOf(each.annotations(), "description");
                    return type + "." + shown(each) + (description == null ? "" : "\n// " + description);
                })
                .findFirst()
                .orElse(null);
    }

    /** The declaration of a type, as the schema's source has it. */
    public String declaration(String type) {
        String source = catalog.source();
        Matcher start = Pattern.compile("\\b(?:node|edge|interface)\\s+" + Pattern.quote(type) + "\\b")
                .matcher(source);
        return start.find()
                ? source.substring(start.start(), end(source, start.end())).strip()
                : type;
    }

    /** Where a declaration ends: after its closing brace, or before the next declaration. */
    private static int end(String source, int from) {
        Matcher token = TOKEN.matcher(source);
        int depth = 0;
        for (int at = from; token.find(at); at = token.end()) {
            switch (token.group()) {
                case "{" -> depth++;
                case "}" -> {
                    depth--;
                    if (depth == 0) {
                        return token.end();
                    }
                }
                case "node", "edge", "interface" -> {
                    if (depth == 0) {
                        return token.start();
                    }
                }
                default -> {
                    if (depth == 0
                            && token.group().startsWith("/")
                            && source.substring(from, token.start()).contains("\n")) {
                        return token.start();
                    }
                }
            }
        }
        return source.length();
    }

    private static String written(String edgeName) {
        return edgeName.substring(0, 1).toLowerCase(Locale.ROOT) + edgeName.substring(1);
    }
}
