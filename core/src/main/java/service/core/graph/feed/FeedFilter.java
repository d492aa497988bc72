package service.core.graph.feed;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.graph.read.Export;
import service.core.graph.request.History;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.EntityKind;

/**
 * The changes that a consumer receives; blocks are never dropped. Types are stored by their stable identities, so that
 * renaming a type does not affect the filter. Equal selections have equal bytes, however they were written. Immutable.
 *
 * <pre>
 *  0  u8   kinds: 1 node, 2 edge
 *  1  u8   operations: 1 insert, 2 update, 4 delete
 *  2  u16  n, the number of types; none: all
 *  4  n × u32 identity, ascending
 * </pre>
 */
public final class FeedFilter {
    private static final List<String> KINDS = List.of("node", "edge");
    private static final List<String> OPERATIONS = List.of("insert", "update", "delete");

    /** Passes every change. */
    public static final FeedFilter ALL =
            new FeedFilter((1 << KINDS.size()) - 1, (1 << OPERATIONS.size()) - 1, new int[0]);

    private final int kinds;
    private final int operations;
    private final int[] types;

    private FeedFilter(int kinds, int operations, int[] types) {
        this.kinds = kinds;
        this.operations = operations;
        this.types = types;
    }

    /**
     * The filter of a selection.
     *
     * @param catalog the schema that names the types
     * @throws ServiceException BAD_REQUEST for an unknown kind, type or operation
     */
    public static FeedFilter of(Catalog catalog, ChangeSelection selection) {
        return of(catalog, catalog, selection);
    }

    /**
     * The filter of a selection for a diff: a name means the types that have it in either schema.
     *
     * @throws ServiceException BAD_REQUEST for an unknown kind, type or operation
     */
    public static FeedFilter between(Catalog before, Catalog after, ChangeSelection selection) {
        FeedFilter filter = of(after, before, selection);
        if (before.fingerprint().equals(after.fingerprint())
                || selection.types().isEmpty()) {
            return filter;
        }
        int[] former = selection.types().stream()
                .filter(name -> before.node(name) != null || before.edge(name) != null)
                .flatMap(name -> Export.named(before, name).stream())
                .mapToInt(EntityType::identity)
                .toArray();
        int[] types = IntStream.concat(Arrays.stream(filter.types), Arrays.stream(former))
                .distinct()
                .sorted()
                .toArray();
        return new FeedFilter(filter.kinds, filter.operations, types);
    }

    /**
     * The filter of a selection that may name types as an earlier schema does.
     *
     * @param earlier names the types that {@code catalog} does not have
     */
    static FeedFilter of(Catalog catalog, Catalog earlier, ChangeSelection selection) {
        TreeSet<Integer> types = new TreeSet<>();
        for (String name : selection.types()) {
            boolean gone = catalog.node(name) == null && catalog.edge(name) == null;
            boolean known = earlier.node(name) != null || earlier.edge(name) != null;
            Export.named(gone && known ? earlier : catalog, name).forEach(type -> types.add(type.identity()));
        }
        return new FeedFilter(
                mask("kind", KINDS, selection.kinds()),
                mask("op", OPERATIONS, selection.operations()),
                types.stream().mapToInt(Integer::intValue).toArray());
    }

    private static int mask(String what, List<String> known, List<String> given) {
        int mask = 0;
        for (String word : given) {
            int index = known.indexOf(word);
            if (index < 0) {
                throw ServiceException.badRequest(
                        "`" + what + "` must be " + String.join(" or ", known) + ", not `" + word + "`");
            }
            mask |= 1 << index;
        }
        return mask == 0 ? (1 << known.size()) - 1 : mask;
    }

    public boolean accepts(ChangeReader change) {
        int operation = !change.hasBefore() ? 1 : change.hasAfter() ? 2 : 4;
        return (operations & operation) != 0
                && (kinds & (change.isEdge() ? 2 : 1)) != 0
                && (types.length == 0 || Arrays.binarySearch(types, change.type()) >= 0);
    }

    /** The types of a snapshot that the filter passes, in the order of an export. */
    List<EntityType> types(Catalog catalog) {
        return History.typesInOrder(catalog).stream()
                .filter(type -> (kinds & (type.kind() == EntityKind.EDGE ? 2 : 1)) != 0)
                .filter(type -> types.length == 0 || Arrays.binarySearch(types, type.identity()) >= 0)
                .toList();
    }

    int encodedLength() {
        return 2 + Short.BYTES + types.length * Integer.BYTES;
    }

    void encode(ByteBuffer into) {
        into.put((byte) kinds).put((byte) operations).putShort((short) types.length);
        for (int type : types) {
            into.putInt(type);
        }
    }

    static FeedFilter decode(ByteBuffer from) {
        int kinds = from.get();
        int operations = from.get();
        int[] types = new int[from.getShort() & 0xFFFF];
        for (int i = 0; i < types.length; i++) {
            types[i] = from.getInt();
        }
        return new FeedFilter(kinds, operations, types);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FeedFilter filter
                && kinds == filter.kinds
                && operations == filter.operations
                && Arrays.equals(types, filter.types);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * kinds + operations) + Arrays.hashCode(types);
    }
}
