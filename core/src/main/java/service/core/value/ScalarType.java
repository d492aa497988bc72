package service.core.value;

/** The scalar types, by their names in the schema language. */
public enum ScalarType {
    STRING("String"),
    BOOL("Bool"),
    I32("I32"),
    I64("I64"),
    U32("U32"),
    U64("U64"),
    F32("F32"),
    F64("F64"),
    DATE("Date"),
    DATETIME("DateTime"),
    BLOB("Blob");

    private final String schemaName;

    ScalarType(String schemaName) {
        this.schemaName = schemaName;
    }

    public String schemaName() {
        return schemaName;
    }

    public boolean isInteger() {
        return this == I32 || this == I64 || this == U32 || this == U64;
    }

    public boolean isFloat() {
        return this == F32 || this == F64;
    }

    public boolean isNumeric() {
        return isInteger() || isFloat();
    }
}
