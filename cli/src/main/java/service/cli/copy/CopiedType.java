package service.cli.copy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A type whose entities have a table.
 *
 * @param id its identity, which a rename leaves
 * @param ends of an edge; null for a node
 * @param columns of its properties
 */
record CopiedType(long id, @Nullable Ends ends, String name, String table, List<Column> columns) {
    /** The node types at the ends of an edge, each null where several may stand there: then each edge says which. */
    record Ends(@Nullable String from, @Nullable String to) {}

    /**
     * The column of a property.
     *
     * @param id the identity of the property
     */
    record Column(long id, String property, String name, Storage storage) {}

    boolean edge() {
        return ends != null;
    }

    /** The columns that a table has beside those of properties; the first is the key. */
    static List<String> own(boolean edge) {
        return edge ? List.of("@id", "@src", "@src_type", "@dst", "@dst_type") : List.of("@id");
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
