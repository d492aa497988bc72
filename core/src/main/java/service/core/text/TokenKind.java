package service.core.text;

import org.jspecify.annotations.Nullable;

/** The kinds of tokens. Keywords are names: the parsers reserve them only where the grammar needs them. */
public enum TokenKind {
    /** Starts with a lower-case letter or {@code _}. */
    NAME,
    /** Starts with an upper-case letter. */
    TYPE,
    /** {@code $name}. */
    VARIABLE,
    /** {@code $_}. */
    ANONYMOUS,
    /** {@code @name}, in a language where white space after the {@code @} is not allowed. */
    AT_NAME,
    STRING,
    /** Digits. */
    INT,
    /** Digits with a fraction, an exponent or both. */
    FLOAT,
    LEFT_PAREN("("),
    RIGHT_PAREN(")"),
    LEFT_BRACE("{"),
    RIGHT_BRACE("}"),
    LEFT_BRACKET("["),
    RIGHT_BRACKET("]"),
    COMMA(","),
    COLON(":"),
    SEMICOLON(";"),
    DOT("."),
    RANGE(".."),
    ARROW("->"),
    AT("@"),
    BAR("|"),
    QUESTION("?"),
    EQUAL("="),
    NOT_EQUAL("!="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">="),
    PLUS("+"),
    MINUS("-"),
    STAR("*"),
    SLASH("/"),
    PERCENT("%"),
    /** Text that is not a token; {@link Language#explain} says why. */
    ERROR,
    END;

    /** The text of a sign; null for every other kind. */
    final @Nullable String sign;

    TokenKind() {
        this.sign = null;
    }

    TokenKind(String sign) {
        this.sign = sign;
    }

    /** The text of this sign. */
    public String sign() {
        if (sign == null) {
            throw new IllegalStateException(this + " is not a sign");
        }
        return sign;
    }
}
