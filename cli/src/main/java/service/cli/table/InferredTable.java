package service.cli.table;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the files of one type have in common. One thread. */
final class InferredTable {
    /** Headers of the ends of edges in files of many programs; a load knows the first two pairs. */
    private static final List<List<String>> ENDS = List.of(
            List.of(TableColumns.SOURCE, TableColumns.DESTINATION),
            List.of("from", "to"),
            List.of("src", "dst"),
            List.of("source", "target"),
            List.of("_from", "_to"),
            List.of(":START_ID", ":END_ID"));

    private static final List<String> KEY_ENDS = List.of("id", "key", "code", "slug", "uuid");
    private static final List<String> KEY_NAMES = List.of("name", "title");

    final String name;
    final List<Path> files;
    /** As many as a type may have properties. */
    private static final int COLUMNS_MAX = 4_096;

    final Map<String, InferredColumn> columns = new LinkedHashMap<>();

    /** What is wrong with the files. */
    final List<String> faults = new ArrayList<>();

    /** The headers of the ends; null for nodes. */
    private @Nullable List<String> ends;

    private @Nullable InferredColumn id;
    private @Nullable InferredColumn key;
    private List<InferredColumn> alsoUnique = List.of();
    private long rows;
    private long ragged;

    /** How many ids at each end each table of nodes has. */
    private final List<Map<InferredTable, Long>> hits = List.of(new LinkedHashMap<>(), new LinkedHashMap<>());

    InferredTable(String name, List<Path> files) {
        this.name = name;
        this.files = files;
    }

    /** Whether the headers of a file are those of an edge. */
    static @Nullable List<String> ends(List<String> headers) {
        return ENDS.stream()
                .filter(pair -> headers.containsAll(pair))
                .findFirst()
                .orElse(null);
    }

    /**
     * Reads all rows.
     *
     * @param nodes the tables whose ids may stand at the ends of an edge; null when this is a table of nodes
     */
    void read(CsvOptions csv, ValueHashes.Room room, @Nullable List<InferredTable> nodes) throws IOException {
        for (Path file : files) {
            long before = rows;
            try (TableReader reader = TableFile.open(file, csv)) {
                ends = nodes == null ? null : ends(reader.columns());
                List<@Nullable InferredColumn> order = order(file, reader.columns(), room);
                while (reader.next()) {
                    row(file, reader, order, nodes);
                }
                if (rows > before) {
                    columns.values().stream()
                            .filter(column -> !order.contains(column))
                            .forEach(InferredColumn::addMissing);
                }
            }
        }
        if (ragged > 0) {
            faults.add(ragged + " rows have more or fewer cells than columns: load with --reject FILE");
        }
        choose();
    }

    /** The columns in the order of a file; null for one whose name is given twice. */
    private List<@Nullable InferredColumn> order(Path file, List<String> headers, ValueHashes.Room room) {
        if (headers.size() > COLUMNS_MAX) {
            throw new TableFault("%s has %d columns, and a type has at most %d properties"
                    .formatted(file, headers.size(), COLUMNS_MAX));
        }
        List<@Nullable InferredColumn> order = new ArrayList<>();
        for (String header : headers) {
            InferredColumn column = columns.get(header);
            if (column == null) {
                column = new InferredColumn(header, ends == null ? new ValueHashes(room) : ValueHashes.none());
                columns.put(header, column);
                if (rows > 0) {
                    column.addMissing();
                }
            } else if (order.contains(column)) {
                faults.add("%s has two columns `%s`: rename one".formatted(file.getFileName(), header));
                column = null;
            }
            order.add(column);
        }
        return order;
    }

    private void row(
            Path file, TableReader reader, List<@Nullable InferredColumn> order, @Nullable List<InferredTable> nodes) {
        if (reader.cells() != order.size()) {
            if (ragged++ == 0) {
                faults.add("%s %s %d has %d cells, and there are %d columns"
                        .formatted(
                                file.getFileName(), reader.placeName(), reader.place(), reader.cells(), order.size()));
            }
            return;
        }
        rows++;
        for (int i = 0; i < order.size(); i++) {
            InferredColumn column = order.get(i);
            if (column == null) {
                continue;
            }
            column.add(reader, i);
            int end = ends == null ? -1 : ends.indexOf(column.header);
            if (end >= 0 && nodes != null) {
                String id = reader.shown(i);
                for (InferredTable table : nodes) {
                    if (table.hasId(id)) {
                        hits.get(end).merge(table, 1L, Long::sum);
                    }
                }
            }
        }
    }

    long rows() {
        return rows;
    }

    boolean isEdge() {
        return ends != null;
    }

    /** The header of an end of an edge: 0 for the source, 1 for the destination. */
    String end(int end) {
        return Objects.requireNonNull(ends).get(end);
    }

    /** The tables that have ids of an end, the one with the most first, each with their number. */
    List<Map.Entry<InferredTable, Long>> hits(int end) {
        return hits.get(end).entrySet().stream()
                .sorted(Map.Entry.<InferredTable, Long>comparingByValue().reversed())
                .toList();
    }

    /** The column of ids that a load knows as such; null where there is none. */
    @Nullable
    InferredColumn idColumn() {
        return id;
    }

    /** The column that identifies nodes, which no load knows yet: by its name, or the first one. */
    @Nullable
    InferredColumn keyColumn() {
        return key;
    }

    /** The other columns with another value in each row. */
    List<InferredColumn> alsoUnique() {
        return alsoUnique;
    }

    /** Chooses id and key, and forgets the values of all other columns. */
    private void choose() {
        id = Stream.of(TableColumns.ID, "id")
                .flatMap(header -> Stream.ofNullable(columns.get(header)))
                .filter(column -> isEdge() || (!column.hasNulls() && column.hashes.areUnique()))
                .findFirst()
                .orElse(null);
        List<InferredColumn> unique = new ArrayList<>();
        columns.values().stream().filter(InferredColumn::isUnique).forEach(unique::add);
        if (id == null) {
            boolean first = rows > 1
                    && !unique.isEmpty()
                    && unique.getFirst() == columns.values().iterator().next();
            key = Stream.concat(
                            unique.stream().filter(column -> isNamedLikeKey(column.header)),
                            unique.stream().filter(column -> KEY_NAMES.contains(lower(column.header))))
                    .findFirst()
                    .orElse(first ? unique.getFirst() : null);
        }
        unique.remove(id == null ? key : id);
        alsoUnique = unique;
        columns.values().stream()
                .filter(column -> column != id && column != key)
                .forEach(column -> column.hashes.forget());
    }

    private static boolean isNamedLikeKey(String header) {
        String lower = lower(header);
        return KEY_ENDS.stream().anyMatch(lower::endsWith);
    }

    /** Whether nodes are known by a value. */
    private boolean hasId(String value) {
        InferredColumn known = id == null ? key : id;
        return known != null && known.hashes.contains(value);
    }

    private static String lower(String header) {
        return header.toLowerCase(Locale.ROOT);
    }
}
