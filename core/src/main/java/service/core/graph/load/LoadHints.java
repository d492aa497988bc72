package service.core.graph.load;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.schema.Catalog;
import service.core.schema.EntityType;

/** What may be meant by a word in a record that means nothing. */
final class LoadHints {
    /** What other formats call a member of a record. */
    private static final Map<String, String> OTHER_WORDS = Map.ofEntries(
            Map.entry("src", "from"),
            Map.entry("source", "from"),
            Map.entry("start", "from"),
            Map.entry("dst", "to"),
            Map.entry("dest", "to"),
            Map.entry("destination", "to"),
            Map.entry("target", "to"),
            Map.entry("end", "to"),
            Map.entry("node", "type"),
            Map.entry("label", "type"),
            Map.entry("properties", "data"),
            Map.entry("props", "data"));

    private LoadHints() {}

    /** The end of the message about an unknown member. */
    static String member(String member) {
        String other = OTHER_WORDS.get(member);
        String meant = other != null
                ? "did you mean `" + other + "`?"
                : Suggestion.didYouMean(member, List.of("type", "edge", "from", "to", "data"));
        return meant == null ? "; a property belongs into `data`" : "; " + meant;
    }

    /** What a name that is no type of its kind may mean, or null. */
    static @Nullable String type(Catalog catalog, String name, boolean node) {
        if (node ? catalog.edge(name) != null : catalog.node(name) != null) {
            return node
                    ? name + " is an edge type: write `edge`, `from` and `to`"
                    : name + " is a node type: write `type`";
        }
        if (catalog.interfaces().stream().anyMatch(each -> each.name().equals(name))) {
            return name + " is an interface: write a type that implements it";
        }
        Collection<? extends EntityType> all = node ? catalog.nodes() : catalog.edges();
        return Suggestion.didYouMean(name, all.stream().map(EntityType::name).toList());
    }
}
