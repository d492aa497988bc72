package service.cli.command;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.table.RejectedRows;
import service.cli.table.TableFile;
import service.cli.table.TableRecords;
import service.cli.table.TableTerms;
import service.core.schema.Catalog;
import service.log.lmdb.FileMask;

/** The tables that a load reads, and how; mixed into {@code load}. */
final class TableOptions {
    @Parameters(
            paramLabel = "TABLE",
            arity = "0..*",
            description = "Tables to load instead of --data: TYPE.csv, TYPE.parquet, or directories of them.")
    private List<Path> tables = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", description = "With tables: the type of their rows.")
    private @Nullable String type;

    @Option(
            names = "--map",
            paramLabel = "COLUMN=NAME",
            description = "With tables: a column is this property, @id, @src or @dst; may be repeated.")
    private Map<String, String> names = new LinkedHashMap<>();

    @Option(names = "--ignore-extra", description = "With tables: pass over columns that the type does not have.")
    private boolean ignoreExtra;

    @Mixin
    private CsvFormOptions form = new CsvFormOptions();

    @Option(
            names = "--reject",
            paramLabel = "FILE",
            description = "With tables: keep rows with a mistake in this new file, and load the others.")
    private @Nullable Path reject;

    @Option(names = "--dry-run", description = "With tables: type every cell and load nothing.")
    private boolean dryRun;

    boolean isGiven() {
        return !tables.isEmpty();
    }

    boolean isDryRun() {
        return dryRun;
    }

    /** What is loaded, for messages. */
    String shown() {
        return tables.size() == 1 ? tables.getFirst().toString() : tables.size() + " tables";
    }

    /** Refuses options that only tables have. */
    void requireNone() {
        boolean any = type != null || !names.isEmpty() || ignoreExtra || form.isGiven() || reject != null || dryRun;
        if (any) {
            throw CommandFailure.usage("--type, --map, --ignore-extra, --delimiter, --null, --date-format, --reject and"
                    + " --dry-run go with tables, such as Person.csv");
        }
    }

    /** The tables, those of nodes first. */
    List<TableFile> find(Catalog catalog) throws IOException {
        return TableFile.find(tables, type, catalog);
    }

    /** Bytes of the files. */
    static long bytes(List<TableFile> files) throws IOException {
        long bytes = 0;
        for (TableFile file : files) {
            bytes += Files.exists(file.path()) ? Files.size(file.path()) : 0;
        }
        return bytes;
    }

    /** What the files say as records. */
    TableRecords records(List<TableFile> files, boolean clears, @Nullable RejectedRows rejected) {
        return new TableRecords(files, new TableTerms(form.csv(), names, ignoreExtra, clears, rejected));
    }

    /** The file of {@code --reject}; null without it. */
    @Nullable
    RejectedRows rejected() throws IOException {
        if (reject == null) {
            return null;
        }
        try {
            return new RejectedRows(new BufferedOutputStream(Channels.newOutputStream(Files.newByteChannel(
                    reject, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FileMask.file()))));
        } catch (FileAlreadyExistsException e) {
            throw new CommandFailure(
                    CommandFailure.FAILED, reject + " exists already; name another file with --reject");
        }
    }

    /** The file of {@code --reject}. */
    @Nullable
    Path rejectFile() {
        return reject;
    }

    /** Reads all records and sends none. */
    static void drain(InputStream records) throws IOException {
        records.transferTo(java.io.OutputStream.nullOutputStream());
    }
}
