package service.core.config;

import java.util.List;

/** A cluster's files are not valid. Carries all findings. */
public final class InvalidConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<ConfigDiagnostic> diagnostics;

    public InvalidConfigException(List<ConfigDiagnostic> diagnostics) {
        super(describe(diagnostics.getFirst()), null, false, false);
        this.diagnostics = List.copyOf(diagnostics);
    }

    public List<ConfigDiagnostic> diagnostics() {
        return diagnostics;
    }

    /** One line for people: position, code and message. */
    public static String describe(ConfigDiagnostic diagnostic) {
        String place = diagnostic.line() == 0
                ? diagnostic.file()
                : diagnostic.file() + ":" + diagnostic.line() + ":" + diagnostic.column();
        return place + ": " + diagnostic.code() + " " + diagnostic.message();
    }

    /** The message; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
