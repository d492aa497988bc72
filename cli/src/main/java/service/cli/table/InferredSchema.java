package service.cli.table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.schema.SchemaCompiler;
import service.core.value.PropertyType;
import service.core.value.VisibleText;

/**
 * A schema that fits tables, made of all their rows. What is not certain is said in comments; what a load needs beside
 * the files is said there, too.
 */
public final class InferredSchema {
    /** Values whose hashes are held, of all columns together: about 16 bytes each. */
    private static final long VALUES_MAX = 8_000_000;

    private final List<Type> types = new ArrayList<>();
    private final StringBuilder source = new StringBuilder();

    /**
     * A proposed type.
     *
     * @param load the options that a load of the files needs
     */
    public record Type(boolean isEdge, String name, List<Path> files, long rows, List<String> load) {
        public Type {
            files = List.copyOf(files);
            load = List.copyOf(load);
        }
    }

    private InferredSchema() {}

    /**
     * Reads tables.
     *
     * @param given files, and directories with their folders {@code nodes} and {@code edges}
     * @throws TableFault when one cannot be read
     */
    public static InferredSchema of(List<Path> given, CsvOptions csv) throws IOException {
        List<InferredTable> nodes = new ArrayList<>();
        List<InferredTable> edges = new ArrayList<>();
        for (Map.Entry<String, List<Path>> each : byName(given).entrySet()) {
            InferredTable table = new InferredTable(each.getKey(), each.getValue());
            (isEdge(each.getValue().getFirst(), csv) ? edges : nodes).add(table);
        }
        ValueHashes.Room room = new ValueHashes.Room(VALUES_MAX);
        for (InferredTable table : nodes) {
            table.read(csv, room, null);
        }
        for (InferredTable table : edges) {
            table.read(csv, room, nodes);
        }
        InferredSchema schema = new InferredSchema();
        InferredNames names = new InferredNames();
        Map<InferredTable, String> named = new LinkedHashMap<>();
        nodes.forEach(table -> named.put(table, names.type(table.name)));
        named.forEach(schema::node);
        edges.forEach(table -> schema.edge(table, names.type(table.name), named));
        return schema;
    }

    /** Files of one type, which may be parts, in their order. */
    private static Map<String, List<Path>> byName(List<Path> given) throws IOException {
        Map<String, List<Path>> files = new LinkedHashMap<>();
        for (Path path : given) {
            if (!Files.exists(path)) {
                throw new TableFault("there is no file or directory " + path);
            }
            for (Path each : Files.isDirectory(path) ? TableFile.within(path) : List.of(path)) {
                files.computeIfAbsent(TableFile.typeName(each), ignored -> new ArrayList<>())
                        .add(each);
            }
        }
        return files;
    }

    private static boolean isEdge(Path file, CsvOptions csv) throws IOException {
        try (TableReader reader = TableFile.open(file, csv)) {
            return InferredTable.ends(reader.columns()) != null;
        }
    }

    /** The source of the schema, laid out as {@code service fmt} does. */
    public String source() {
        String formatted = SchemaCompiler.format(source.toString());
        SchemaCompiler.compile(formatted);
        return formatted;
    }

    /** The types, nodes first. */
    public List<Type> types() {
        return types;
    }

    private void node(InferredTable table, String name) {
        Body body = new Body(table);
        add(table, name, "node " + name, body, false);
    }

    private void edge(InferredTable table, String name, Map<InferredTable, String> nodes) {
        Body body = new Body(table);
        String source = end(table, 0, nodes, body);
        String destination = end(table, 1, nodes, body);
        boolean unknown = source.isEmpty() || destination.isEmpty();
        String ends = (unknown && source.isEmpty() ? "?" : source) + " -> "
                + (unknown && destination.isEmpty() ? "?" : destination);
        add(table, name, "edge " + name + ": " + ends, body, unknown);
    }

    /** The types of an end; empty where no table has its ids. */
    private static String end(InferredTable table, int end, Map<InferredTable, String> nodes, Body body) {
        InferredColumn column = Objects.requireNonNull(table.columns.get(table.end(end)));
        InferredColumn types = table.columns.get(end == 0 ? TableColumns.SOURCE_TYPE : TableColumns.DESTINATION_TYPE);
        if (types != null && !types.words().isEmpty() && nodes.values().containsAll(types.words())) {
            return String.join(" | ", types.words());
        }
        List<Map.Entry<InferredTable, Long>> hits = table.hits(end);
        if (hits.isEmpty()) {
            body.remark("no table has the ids of `%s`: which type is it?".formatted(column.header));
            return "";
        }
        InferredTable best = hits.getFirst().getKey();
        long missing = table.rows() - hits.getFirst().getValue();
        if (missing > 0) {
            body.remark(
                    "%d of %d `%s` are no id of %s".formatted(missing, table.rows(), column.header, nodes.get(best)));
        } else if (hits.size() > 1 && hits.get(1).getValue() == table.rows()) {
            body.remark("`%s` could be %s, too"
                    .formatted(column.header, nodes.get(hits.get(1).getKey())));
        }
        return String.valueOf(nodes.get(best));
    }

    private void add(InferredTable table, String name, String head, Body body, boolean isComment) {
        List<String> load = new ArrayList<>();
        if (!name.equals(table.name)) {
            load.addAll(List.of("--type", name));
        }
        body.names.forEach((header, property) -> load.addAll(List.of("--map", header + "=" + property)));
        if (body.leavesOut) {
            load.add("--ignore-extra");
        }
        StringBuilder text = new StringBuilder();
        body.remarks.forEach(remark -> comment(text, remark));
        if (!load.isEmpty()) {
            List<String> words = new ArrayList<>(List.of("load with: service load"));
            table.files.forEach(file -> words.add(quoted(file.toString())));
            load.forEach(word -> words.add(quoted(word)));
            comment(text, String.join(" ", words));
        }
        String declared = head + " {\n" + body.lines + "}\n";
        text.append(
                isComment ? declared.lines().map(line -> "// " + line + "\n").reduce("", String::concat) : declared);
        source.append(source.isEmpty() ? "" : "\n").append(text);
        types.add(new Type(table.isEdge(), name, table.files, table.rows(), load));
    }

    private static void comment(StringBuilder into, String text) {
        into.append("// ").append(VisibleText.oneLine(text)).append('\n');
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_./@=:+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** The members of a type. */
    private static final class Body {
        final StringBuilder lines = new StringBuilder();
        final List<String> remarks = new ArrayList<>();

        /** What columns are called in the schema, where that is another name. */
        final Map<String, String> names = new LinkedHashMap<>();

        boolean leavesOut;

        Body(InferredTable table) {
            remarks.addAll(table.faults);
            InferredNames free = new InferredNames();
            for (InferredColumn column : table.columns.values()) {
                String fixed = fixed(table, column);
                if (fixed == null) {
                    property(column, free.property(column.header), column == table.keyColumn());
                } else if (!TableColumns.isKnown(column.header, fixed)) {
                    names.put(column.header, fixed);
                }
            }
            if (!table.alsoUnique().isEmpty()) {
                List<String> headers =
                        table.alsoUnique().stream().map(each -> each.header).toList();
                remark("each of the %d rows has another value of: %s"
                        .formatted(table.rows(), String.join(", ", headers)));
            }
        }

        void remark(String text) {
            remarks.add(text);
        }

        /** What {@code @…} a column is; null for a property. */
        private static @Nullable String fixed(InferredTable table, InferredColumn column) {
            if (column == table.idColumn()) {
                return TableColumns.ID;
            }
            if (!table.isEdge()) {
                return null;
            }
            return column.header.equals(table.end(0))
                    ? TableColumns.SOURCE
                    : column.header.equals(table.end(1))
                            ? TableColumns.DESTINATION
                            : column.header.equals(TableColumns.SOURCE_TYPE)
                                            || column.header.equals(TableColumns.DESTINATION_TYPE)
                                    ? column.header
                                    : null;
        }

        private void property(InferredColumn column, String name, boolean isKey) {
            String doubt = column.doubt();
            if (doubt != null) {
                comment(lines, doubt);
            }
            PropertyType type = column.type();
            if (type == null) {
                leavesOut = true;
                comment(lines, name + ": ?");
                return;
            }
            if (!name.equals(column.header)) {
                names.put(column.header, name);
            }
            lines.append(name).append(": ").append(type).append(column.hasNulls() ? "?" : "");
            lines.append(isKey ? " @key\n" : "\n");
        }
    }
}
