package service.core.schema.syntax;

/**
 * One word, number, string or sign of a source.
 *
 * @param text the decoded text of a string, else as written
 * @param start offset of its first char
 * @param end offset after its last char
 */
record Token(Kind kind, String text, int start, int end) {
    enum Kind {
        /** Begins with an upper-case letter. */
        TYPE,
        /** Begins with a lower-case letter or an underscore. */
        NAME,
        NUMBER,
        STRING,
        SIGN,
        END
    }

    boolean is(String sign) {
        return kind == Kind.SIGN && text.equals(sign);
    }

    /** How a message names it. */
    String described() {
        return switch (kind) {
            case END -> "the end of the schema";
            case STRING -> "a string";
            case TYPE, NAME, NUMBER, SIGN -> "`" + shortened(text) + "`";
        };
    }

    static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, text.offsetByCodePoints(0, 30)) + "…";
    }
}
