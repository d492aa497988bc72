package service.core.port;

import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.value.PropertyType;

/** Chooses the class of column for the values of a type. */
final class ColumnChoice {
    private ColumnChoice() {}

    static Column of(PropertyType type) {
        return switch (type) {
            case PropertyType.EnumOf ignored -> new TextColumn();
            case PropertyType.ListOf ignored -> new ValueColumn();
            case PropertyType.VectorOf ignored -> new ValueColumn();
            case PropertyType.AnyInteger ignored -> new ValueColumn();
            case PropertyType.Scalar scalar ->
                switch (scalar.scalar()) {
                    case STRING -> new TextColumn();
                    case BOOL -> new BoolColumn();
                    case I32, I64, U32 -> new LongColumn(LongColumn.Kind.INT);
                    case U64 -> new LongColumn(LongColumn.Kind.UINT);
                    case DATE -> new LongColumn(LongColumn.Kind.DATE);
                    case DATETIME -> new LongColumn(LongColumn.Kind.DATETIME);
                    case F32, F64 -> new DoubleColumn();
                    case BLOB -> new ValueColumn();
                };
        };
    }
}
