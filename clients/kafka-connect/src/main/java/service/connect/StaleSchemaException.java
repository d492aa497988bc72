package service.connect;

/** An entity does not fit the schema that the task knows: the schema was changed meanwhile. */
final class StaleSchemaException extends Exception {
    private static final long serialVersionUID = 1L;

    StaleSchemaException(String type, String property) {
        super("the schema that was read before has no `" + (property.isEmpty() ? type : type + "." + property) + "`");
    }
}
