package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.render.TextTable;
import service.cli.table.RejectedRows;
import service.cli.table.TableFault;
import service.cli.table.TableFile;
import service.cli.table.TableRecords;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.schema.Catalog;

/** Loads tables: sends their rows as records, and says of a refused record in which file and line it stands. */
record TableLoad(TableOptions options, OutputOptions output) {
    private static final Pattern LINE = Pattern.compile("line ([0-9]{1,10}): (.*)", Pattern.DOTALL);

    /** Sends records. */
    interface Send {
        ObjectNode send(InputStream records, long bytes) throws IOException;
    }

    /** @param clears whether a cell without a value takes the value from an entity that has one */
    ObjectNode run(Catalog catalog, boolean clears, Send send) throws IOException {
        try (RejectedRows rejected = options.rejected()) {
            List<TableFile> files = options.find(catalog);
            ObjectNode result;
            try (TableRecords records = options.records(files, clears, rejected)) {
                result = options.isDryRun() ? dry(records) : sent(records, send, TableOptions.bytes(files));
            }
            if (rejected != null) {
                result.put("rejected", rejected.count());
                if (rejected.count() > 0) {
                    output.note("warning: " + TextTable.counted(rejected.count(), "row") + " with a mistake kept in "
                            + options.rejectFile());
                }
            }
            return result;
        } catch (TableFault e) {
            throw new CommandFailure(CommandFailure.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private static ObjectNode dry(TableRecords records) throws IOException {
        try {
            TableOptions.drain(records);
        } catch (IOException e) {
            throw named(records, e);
        }
        return Json.object().put("dry_run", true).put("records", records.records());
    }

    private static ObjectNode sent(TableRecords records, Send send, long bytes) throws IOException {
        try {
            return send.send(records, bytes);
        } catch (IOException e) {
            throw named(records, e);
        } catch (CommandFailure e) {
            TableFault fault = records.fault();
            throw fault != null ? fault : new CommandFailure(e.exitCode(), placed(records, e.getMessage()), e.body());
        } catch (ServiceException e) {
            TableFault fault = records.fault();
            throw fault != null
                    ? fault
                    : new ServiceException(e.code(), placed(records, e.getMessage()), e.detail(), e);
        } catch (RuntimeException e) {
            // What carries the records passes a failure to read them on in its way.
            TableFault fault = records.fault();
            throw fault != null ? fault : e;
        }
    }

    /** A failure to read records: because of a mistake in a file, which it names, or of the disk under it. */
    private static CommandFailure named(TableRecords records, IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return new CommandFailure(
                CommandFailure.FAILED, records.fault() == null ? "cannot read the tables: " + message : message);
    }

    /** The message with the place of the row instead of that of the record. */
    private static String placed(TableRecords records, @Nullable String message) {
        Matcher line = LINE.matcher(String.valueOf(message));
        String place = line.matches() ? records.place(Long.parseLong(line.group(1))) : null;
        return place == null ? String.valueOf(message) : place + ": " + line.group(2);
    }
}
