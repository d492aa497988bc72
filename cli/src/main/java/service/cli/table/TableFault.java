package service.cli.table;

/** A file, row or cell that cannot be loaded; the message names it. */
public final class TableFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TableFault(String message) {
        super(message, null, false, false);
    }
}
