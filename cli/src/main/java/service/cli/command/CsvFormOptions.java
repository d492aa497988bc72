package service.cli.command;

import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.table.CsvOptions;

/** How the texts of CSV tables are read; mixed into the commands that read tables. */
final class CsvFormOptions {
    @Option(
            names = "--delimiter",
            paramLabel = "CHAR",
            description = "With tables: what is between cells (default: ,).")
    private @Nullable String delimiter;

    @Option(
            names = "--null",
            paramLabel = "TEXT",
            description = "With tables: the text of a cell without a value (default: empty and not quoted).")
    private @Nullable String nullText;

    @Option(
            names = "--date-format",
            paramLabel = "PATTERN",
            description = "With tables: how dates and times are written, such as dd.MM.uuuu (default: ISO 8601).")
    private @Nullable String dateFormat;

    boolean isGiven() {
        return delimiter != null || nullText != null || dateFormat != null;
    }

    CsvOptions csv() {
        char between = CsvOptions.USUAL.delimiter();
        if (delimiter != null) {
            String given = delimiter.equals("\\t") ? "\t" : delimiter;
            if (given.length() != 1 || "\"\r\n".contains(given)) {
                throw CommandFailure.usage("--delimiter is one character, \\t for a tab");
            }
            between = given.charAt(0);
        }
        return new CsvOptions(between, nullText, dates());
    }

    private @Nullable DateTimeFormatter dates() {
        try {
            return dateFormat == null
                    ? null
                    : DateTimeFormatter.ofPattern(dateFormat, Locale.ROOT).withResolverStyle(ResolverStyle.SMART);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--date-format: " + e.getMessage());
        }
    }
}
