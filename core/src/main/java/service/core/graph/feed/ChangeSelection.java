package service.core.graph.feed;

import java.util.List;

/**
 * The changes that a request selects, in its own words; an empty list selects all.
 *
 * @param kinds {@code node}, {@code edge}
 * @param types names of node and edge types
 * @param operations {@code insert}, {@code update}, {@code delete}
 */
public record ChangeSelection(List<String> kinds, List<String> types, List<String> operations) {
    public static final ChangeSelection ALL = new ChangeSelection(List.of(), List.of(), List.of());

    public ChangeSelection {
        kinds = List.copyOf(kinds);
        types = List.copyOf(types);
        operations = List.copyOf(operations);
    }

    public boolean isAll() {
        return kinds.isEmpty() && types.isEmpty() && operations.isEmpty();
    }
}
