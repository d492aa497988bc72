package service.core.gq.syntax;

import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;
import service.core.value.CalendarText;
import service.core.value.Value;

/** Reads literals from their tokens. */
final class Literals {
    private static final String LONG_MIN_DIGITS = "9223372036854775808";

    private final TokenStream tokens;

    Literals(TokenStream tokens) {
        this.tokens = tokens;
    }

    /** Takes an integer or a float; the caller has taken its sign. */
    Value number(boolean negative) {
        Span span = tokens.span();
        String digits = tokens.tokenText();
        boolean isFloat = tokens.at(TokenKind.FLOAT);
        tokens.advance();
        if (isFloat) {
            double value = Double.parseDouble(digits);
            if (Double.isInfinite(value)) {
                throw tokens.fail(span, "`" + digits + "` is too large for F64", null);
            }
            return new Value.Real(negative ? -value : value);
        }
        return integer(digits, negative, span);
    }

    private Value integer(String digits, boolean negative, Span span) {
        String plain = digits.replaceFirst("^0+(?=.)", "");
        if (negative && plain.equals(LONG_MIN_DIGITS)) {
            return new Value.Int(Long.MIN_VALUE);
        }
        long bits;
        try {
            bits = Long.parseUnsignedLong(plain);
        } catch (NumberFormatException e) {
            throw tooLarge(plain, negative, span);
        }
        if (negative && bits < 0) {
            throw tooLarge(plain, true, span);
        }
        return bits < 0 ? new Value.UInt(bits) : new Value.Int(negative ? -bits : bits);
    }

    private TokenStream.Mistake tooLarge(String digits, boolean negative, Span span) {
        return tokens.fail(
                span,
                "the integer `" + (negative ? "-" : "") + TokenStream.shortened(digits) + "` is out of range",
                "integers go from -9223372036854775808 to 18446744073709551615");
    }

    /** Takes an integer from 0 to 2^31 − 1. */
    int smallInteger(String what) {
        Span span = tokens.span();
        if (!tokens.at(TokenKind.INT)) {
            throw tokens.expected(what, null);
        }
        String digits = tokens.tokenText();
        tokens.advance();
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw tokens.fail(span, what + " is out of range", null);
        }
    }

    /** The value of {@code date("…")} and {@code datetime("…")}. */
    Value calendar(boolean withTime, String text, Span span) {
        try {
            return withTime
                    ? new Value.DateTime(CalendarText.parseDateTime(text))
                    : new Value.Date(CalendarText.parseDate(text));
        } catch (IllegalArgumentException e) {
            throw tokens.fail(
                    span,
                    "`" + text + "` is not a " + (withTime ? "date-time" : "date") + ": " + e.getMessage(),
                    withTime ? "write datetime(\"2024-01-01T12:34:56Z\")" : "write date(\"2024-01-31\")");
        }
    }

    /** Takes a literal of a settings line or of a parameter's default; expressions are refused. */
    Value value(String what) {
        Span span = tokens.span();
        return switch (tokens.kind()) {
            case STRING -> {
                yield new Value.Text(tokens.string(what));
            }
            case INT, FLOAT -> {
                yield number(false);
            }
            case MINUS -> {
                tokens.advance();
                if (tokens.at(TokenKind.INT) || tokens.at(TokenKind.FLOAT)) {
                    yield number(true);
                }
                throw tokens.expected("a number after `-`", null);
            }
            default -> {
                if (tokens.acceptWord("true")) {
                    yield new Value.Bool(true);
                }
                if (tokens.acceptWord("false")) {
                    yield new Value.Bool(false);
                }
                if (tokens.acceptWord("null")) {
                    yield Value.NULL;
                }
                throw tokens.fail(span, "expected " + what + ", found `" + tokens.tokenText() + "`", null);
            }
        };
    }
}
