package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import service.cli.render.EntityText;
import service.cli.render.Screen;
import service.cli.render.TextTable;

/**
 * Prints the conflicts of a merge with the values of both sides, and the ways to resolve them.
 *
 * @param found holds {@code merge_conflicts} and {@code conflict_count}
 * @param byProperty whether the merge combined changes of different properties already
 */
record MergeConflicts(JsonNode found, Sides sides, boolean byProperty) {
    /**
     * The words for both sides.
     *
     * @param base the state at the base
     * @param source the merged branch, or the state that a revert or pick brings
     * @param target the branch merged into
     * @param taken what {@code --take source} takes: as …
     * @param mended what can be changed so that there is no conflict
     * @param again what to do then
     * @param combined the option that combines changes of different properties
     */
    record Sides(
            String base, String source, String target, String taken, String mended, String again, String combined) {
        static Sides ofMerge(String source, String target, boolean byProperty) {
            return new Sides(
                    "base",
                    source,
                    target,
                    source + (byProperty ? " has it" : " has them"),
                    source + " or " + target,
                    "merge again",
                    "--set merge_granularity=property");
        }
    }

    private static final Set<String> DIVERGENT =
            Set.of("divergent_insert", "divergent_update", "delete_vs_update", "ambiguous_base");

    /** Whether both sides have changed the entity differently, so that one of them can be taken. */
    static boolean isDivergent(JsonNode conflict) {
        return DIVERGENT.contains(conflict.path("kind").asText());
    }

    /** Whether the source wrote what the schema of the target does not take: the target's side can be taken. */
    static boolean isOfSchema(JsonNode conflict) {
        return conflict.path("kind").asText().equals("schema_conflict");
    }

    /** The number of conflicts in a preview or a refusal. */
    static String counted(JsonNode found) {
        return TextTable.counted(found.path("conflict_count").asLong(), "conflict");
    }

    void print(PrintWriter out, Screen screen) {
        JsonNode listed = found.path("merge_conflicts");
        boolean divergent = false;
        boolean otherwise = false;
        boolean ofSchema = false;
        boolean updates = false;
        for (JsonNode conflict : listed) {
            EntityText.conflict(conflict, sides.base, sides.source, sides.target, out, screen);
            divergent |= isDivergent(conflict);
            ofSchema |= isOfSchema(conflict);
            otherwise |= !isDivergent(conflict) && !isOfSchema(conflict);
            updates |= combines(conflict);
        }
        long left = found.path("conflict_count").asLong() - listed.size();
        if (left > 0) {
            out.println("and " + TextTable.counted(left, "conflict") + " more");
        }
        out.println("ways out:");
        if (updates && !byProperty) {
            out.printf("  %-32s  combines changes of different properties of an entity%n", sides.combined);
        }
        if (divergent) {
            String what = byProperty ? "what is in conflict" : "the entities";
            String it = byProperty ? " has it" : " has them";
            out.println("  --take source                     takes " + what + " as " + sides.taken);
            out.println("  --take target                     keeps " + what + " as " + sides.target + it);
            out.println("  --resolve FILE                    takes a side for each entity"
                    + (byProperty ? " or property, or gives a `value`" : "")
                    + "; FILE holds, for the first one:");
            out.println("    " + example(listed));
        }
        if (ofSchema) {
            if (!divergent) {
                out.println("  --take target                     leaves out what the schema of " + sides.target
                        + " does not take");
            }
            out.printf(
                    "  %-34sgives %s the schema of %s first; its dry run shows what that drops%n",
                    "service branch upgrade " + sides.source + "  ", sides.source, sides.target);
        }
        if (otherwise) {
            out.println("  change " + sides.mended
                    + (divergent || ofSchema ? ", for the conflicts of other kinds, " : " ")
                    + "so that the outcome fits the schema, and " + sides.again);
        }
        out.flush();
    }

    /** Whether the sides of an update have changed different properties and ends, so that taking both is possible. */
    private static boolean combines(JsonNode conflict) {
        if (!conflict.path("kind").asText().equals("divergent_update")) {
            return false;
        }
        JsonNode base = conflict.path("base");
        JsonNode one = conflict.path("source");
        JsonNode other = conflict.path("target");
        Set<String> names = new TreeSet<>();
        for (String part : List.of("properties", "endpoints")) {
            for (JsonNode side : List.of(base, one, other)) {
                side.path(part).fieldNames().forEachRemaining(name -> names.add("/" + part + "/" + name));
            }
        }
        return names.stream().noneMatch(at -> {
            JsonNode before = base.at(at);
            JsonNode first = one.at(at);
            JsonNode second = other.at(at);
            return !first.equals(before) && !second.equals(before) && !first.equals(second);
        });
    }

    private static String example(JsonNode listed) {
        for (JsonNode conflict : listed) {
            if (isDivergent(conflict)) {
                return "[{\"entity_kind\": " + conflict.path("entity_kind") + ", \"type_name\": "
                        + conflict.path("type_name") + ", \"entity_id\": " + conflict.path("entity_id")
                        + (conflict.has("properties")
                                ? ", \"property\": "
                                        + conflict.path("properties").get(0)
                                : "")
                        + ", \"take\": \"source\"}]";
            }
        }
        return "[]";
    }
}
