package service.cli.copy;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** The two databases: the types of their columns, and how values get there. */
enum Dialect {
    SQLITE {
        @Override
        String columnType(Storage storage) {
            return switch (storage) {
                // SQLite has no unsigned integers and makes doubles of those over 63 bits.
                case TEXT, U64, DATE, DATETIME, JSON, BLOB -> "text";
                case BOOL, I32, I64 -> "integer";
                case F32, F64 -> "real";
            };
        }

        @Override
        String claim() {
            // Any write takes the lock of the file.
            return "update service_copy set one = one where one is null";
        }

        @Override
        Meaning meaning(SQLException failure) {
            int code = failure.getErrorCode() & 0xff;
            return code == SQLITE_BUSY || code == SQLITE_LOCKED ? Meaning.TAKEN : Meaning.OTHER;
        }

        @Override
        void bindValue(PreparedStatement row, int index, Storage storage, JsonNode value) throws SQLException {
            switch (storage) {
                case TEXT, U64, DATE, DATETIME, JSON, BLOB -> row.setString(index, Storage.text(value));
                case BOOL -> row.setLong(index, value.asBoolean() ? 1 : 0);
                case I32, I64 -> row.setLong(index, value.longValue());
                case F32, F64 -> row.setDouble(index, value.doubleValue());
            }
        }
    },

    POSTGRES {
        @Override
        String columnType(Storage storage) {
            return switch (storage) {
                case TEXT -> "text";
                case BOOL -> "boolean";
                case I32 -> "integer";
                case I64 -> "bigint";
                case U64 -> "numeric(20)";
                case F32 -> "real";
                case F64 -> "double precision";
                case DATE -> "date";
                case DATETIME -> "timestamptz";
                case JSON, BLOB -> "jsonb";
            };
        }

        @Override
        String claim() {
            return "lock table service_copy in exclusive mode nowait";
        }

        @Override
        Meaning meaning(SQLException failure) {
            String state = String.valueOf(failure.getSQLState());
            return switch (state) {
                // A lock; a deadlock; a table that two make at once.
                case "55P03", "40P01", "23505" -> Meaning.TAKEN;
                // It could not connect: there the driver has said what to check.
                case "08001" -> Meaning.OTHER;
                default -> state.startsWith("08") || state.startsWith("57P") ? Meaning.LOST : Meaning.OTHER;
            };
        }

        @Override
        void bindValue(PreparedStatement row, int index, Storage storage, JsonNode value) throws SQLException {
            switch (storage) {
                case TEXT -> row.setString(index, value.asText());
                case BOOL -> row.setBoolean(index, value.asBoolean());
                case I32 -> row.setInt(index, value.intValue());
                case I64 -> row.setLong(index, value.longValue());
                case U64 -> row.setBigDecimal(index, value.decimalValue());
                case F32 -> row.setFloat(index, value.floatValue());
                case F64 -> row.setDouble(index, value.doubleValue());
                case DATE -> row.setObject(index, LocalDate.parse(value.asText()));
                case DATETIME -> row.setObject(index, OffsetDateTime.parse(value.asText()));
                case JSON, BLOB -> row.setObject(index, value.toString(), Types.OTHER);
            }
        }
    };

    /** The longest name of a table or column that both keep whole. */
    static final int NAME_MAX = 63;

    private static final int SQLITE_BUSY = 5;
    private static final int SQLITE_LOCKED = 6;

    /** What a failure means to people. */
    enum Meaning {
        /** Another process writes there. */
        TAKEN,
        /** The database has gone. */
        LOST,
        OTHER
    }

    /** A statement after which no other transaction makes the copy; it fails where one does. */
    abstract String claim();

    abstract Meaning meaning(SQLException failure);

    abstract String columnType(Storage storage);

    abstract void bindValue(PreparedStatement row, int index, Storage storage, JsonNode value) throws SQLException;

    void bind(PreparedStatement row, int index, Storage storage, @Nullable JsonNode value) throws SQLException {
        if (value == null || value.isNull()) {
            row.setNull(index, Types.NULL);
        } else {
            bindValue(row, index, storage, value);
        }
    }
}
