package service.cli.table;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.EntityKind;

/** A file of rows of one type: {@code Person.csv}, {@code Person.csv.gz}, {@code edges/Knows-00001.parquet}. */
public record TableFile(Path path, EntityType type) {
    private static final Pattern NAME = Pattern.compile("(.+?)(-[0-9]{5})?\\.(?:parquet|(csv|tsv)(\\.gz|\\.zst)?)");

    /** The folders of an export; of a name that nodes and edges share the folder says which one is meant. */
    private static final List<String> FOLDERS = List.of("", "nodes", "edges");

    private static final int BUFFER_BYTES = 1 << 16;

    /** Whether the name is that of a table. */
    public static boolean isTable(Path path) {
        return NAME.matcher(path.getFileName().toString()).matches();
    }

    /**
     * The files, those of nodes first. A directory gives its tables and those of its folders {@code nodes} and
     * {@code edges}.
     *
     * @param typeName the type of all files; null where the names of the files say it
     */
    public static List<TableFile> find(List<Path> given, @Nullable String typeName, Catalog catalog)
            throws IOException {
        List<TableFile> files = new ArrayList<>();
        for (Path path : given) {
            for (Path each : Files.isDirectory(path) ? within(path) : List.of(path)) {
                files.add(new TableFile(each, type(each, typeName, catalog)));
            }
        }
        files.sort(Comparator.comparing(file -> file.type.kind() == EntityKind.EDGE));
        return files;
    }

    /** The name of the type that the name of a file says; {@code Person} for {@code Person-00001.csv.gz}. */
    static String typeName(Path path) {
        return parts(path).group(1);
    }

    /** The tables of a directory and of its folders {@code nodes} and {@code edges}. */
    static List<Path> within(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String folder : FOLDERS) {
            Path each = directory.resolve(folder);
            if (Files.isDirectory(each)) {
                try (Stream<Path> entries = Files.list(each)) {
                    entries.filter(TableFile::isTable).sorted().forEach(found::add);
                }
            }
        }
        if (found.isEmpty()) {
            throw new TableFault(directory
                    + " has no tables; a table is TYPE.csv or TYPE.parquet, also in the folders nodes and edges");
        }
        return found;
    }

    private static EntityType type(Path path, @Nullable String given, Catalog catalog) {
        Matcher parts = parts(path);
        String name = given == null ? parts.group(1) : given;
        EntityType node = catalog.node(name);
        EntityType edge = catalog.edge(name);
        if (node != null && edge != null) {
            Path folder = path.toAbsolutePath().getParent();
            String within = folder == null || folder.getFileName() == null
                    ? ""
                    : folder.getFileName().toString();
            return switch (within) {
                case "nodes" -> node;
                case "edges" -> edge;
                default ->
                    throw new TableFault(
                            "%s: `%s` is a node type and an edge type; put the file into a folder nodes or edges"
                                    .formatted(path, name));
            };
        }
        EntityType found = node == null ? edge : node;
        if (found == null) {
            List<String> names = Stream.concat(catalog.nodes().stream(), catalog.edges().stream())
                    .map(EntityType::name)
                    .toList();
            String meant = Suggestion.didYouMean(name, names);
            throw new TableFault("%s: the schema has no type `%s`; %s"
                    .formatted(
                            path,
                            name,
                            meant != null
                                    ? meant
                                    : given == null ? "name the type with --type" : "see service schema show"));
        }
        return found;
    }

    private static Matcher parts(Path path) {
        Matcher parts = NAME.matcher(path.getFileName().toString());
        if (!parts.matches()) {
            throw new TableFault(
                    path
                            + " is no table: its name must end with .parquet, or with .csv or .tsv and then perhaps .gz or .zst");
        }
        return parts;
    }

    /** Opens the file. */
    TableReader open(CsvOptions csv) throws IOException {
        return open(path, csv);
    }

    /** Opens a file. */
    static TableReader open(Path path, CsvOptions csv) throws IOException {
        Matcher parts = parts(path);
        if (parts.group(3) == null) {
            if (!Files.exists(path)) {
                throw new TableFault("there is no file " + path);
            }
            return new ParquetTable(path, ParquetTable.PATIENCE);
        }
        boolean tabs = parts.group(3).equals("tsv") && csv.delimiter() == CsvOptions.USUAL.delimiter();
        InputStream bytes;
        try {
            bytes = new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES);
        } catch (NoSuchFileException e) {
            throw new TableFault("there is no file " + path);
        }
        try {
            InputStream content = switch (parts.group(4)) {
                case ".gz" -> new GZIPInputStream(bytes, BUFFER_BYTES);
                case ".zst" -> new ZstdInputStream(bytes);
                case null, default -> bytes;
            };
            return new CsvTable(
                    path.toString(), content, tabs ? new CsvOptions('\t', csv.nullText(), csv.dates()) : csv);
        } catch (IOException | RuntimeException e) {
            bytes.close();
            throw e;
        }
    }
}
