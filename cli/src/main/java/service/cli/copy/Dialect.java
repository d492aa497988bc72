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
