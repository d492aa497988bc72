package service.cli.table;

import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * How the texts of CSV files are read.
 *
 * @param nullText the text of a cell without a value, quoted or not; null for the empty one without quotes
 * @param dates the form of dates and times; null for ISO 8601
 */
public record CsvOptions(
        char delimiter, @Nullable String nullText, @Nullable DateTimeFormatter dates) {
    /** Commas, and an empty cell for no value. */
    public static final CsvOptions USUAL = new CsvOptions(',', null, null);
}
