package service.projection.table;

import java.util.Arrays;
import java.util.List;
import service.log.lmdb.Table;

/**
 * The tables of a projection environment. The class in the Javadoc of each table owns its layout;
 * docs/formats/tables.md describes them all.
 */
public enum ProjectionTable {
    /** {@link IdTable}. Put before {@link #IDS}, which needs the ordinals of its runs. */
    ORDINALS,
    /** {@link IdTable}. */
    IDS,
    /** {@link IdTable}. */
    FREE,
    /** {@link RecordTable}. */
    RECORDS,
    /** {@link AdjacencyTable}. */
    OUT,
    /** {@link AdjacencyTable}. */
    IN,
    /** {@link IndexTable}. */
    INDEX,
    /** {@link CountTable}. */
    COUNTS,
    /** {@link BranchTable}. */
    BRANCHES,
    /** {@link BranchTable}. */
    INCARNATIONS,
    /** {@link HistoryTable}. */
    HISTORY,
    /** {@link HistoryTable}. */
    COMMITS,
    /** {@link SchemaTable}. */
    SCHEMAS,
    /** {@link IdempotencyTable}. */
    IDEMPOTENCY,
    /** {@link ArrivalTable}. */
    ARRIVALS,
    /** {@link AppliedTable}, and {@link TagTable}, so that tables of before the first tag need no table more. */
    APPLIED;

    private final String tableName = name().toLowerCase(java.util.Locale.ROOT);

    /** The name of the LMDB database. */
    public String tableName() {
        return tableName;
    }

    /** The table with a name; throws {@link IllegalArgumentException} when there is none. */
    public static ProjectionTable named(String tableName) {
        return Arrays.stream(values())
                .filter(table -> table.tableName.equals(tableName))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no table " + tableName));
    }

    /** Whether each table that is made from the same log has the same entries. */
    public boolean isExact() {
        return this != ARRIVALS;
    }

    /** The tables to open an environment with. */
    public static List<Table> lmdbTables() {
        return Arrays.stream(values())
                .map(table -> table.isExact()
                        ? Table.of(table.tableName)
                        : Table.of(table.tableName).orMissing())
                .toList();
    }
}
