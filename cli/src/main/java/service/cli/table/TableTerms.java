package service.cli.table;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How tables become records.
 *
 * @param names what columns are called in the schema, where that is another name
 * @param ignoreExtra whether columns that mean nothing are passed over
 * @param clears whether a cell without a value takes the value from an entity that has one
 * @param rejected gets the rows that cannot be records; null to end at the first one
 */
public record TableTerms(
        CsvOptions csv,
        Map<String, String> names,
        boolean ignoreExtra,
        boolean clears,
        @Nullable RejectedRows rejected) {}
