package service.core.schema;

import java.util.Set;
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.text.Findings;

/** The names that a property cannot have. */
final class PropertyNames {
    private static final Set<String> RESERVED = Set.of("id", "src", "dst", "from", "to");

    /** The words that GQ reads as literals wherever a value may stand. */
    private static final Set<String> LITERALS = Set.of("true", "false", "null");

    private PropertyNames() {}

    /**
     * Notes a finding for a name that is taken.
     *
     * @param accepted whether the schema was accepted before. Graphs of older versions may have a property with the
     *     name of a literal: they open, and the next schema must rename it.
     */
    static void check(Name name, boolean accepted, Findings findings) {
        String text = name.text();
        if (RESERVED.contains(text) || text.startsWith("__")) {
            findings.add(
                    "PG-NA-004",
                    name.at(),
                    "`" + text + "` is reserved and cannot name a property",
                    text.equals("id")
                            ? "every entity has an id already: queries read it as `@id`"
                            : "give it another name");
        } else if (LITERALS.contains(text) && !accepted) {
            findings.add(
                    "PG-NA-004",
                    name.at(),
                    "`" + text + "` is a literal of the query language and cannot name a property",
                    "give it another name; where the graph has this property, add @rename_from(\"" + text
                            + "\") to keep its values");
        }
    }
}
