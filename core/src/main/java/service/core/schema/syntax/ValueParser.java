package service.core.schema.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.LiteralKind;
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.text.Findings;
import service.core.text.Lexer;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** Parses names, type references, literals and bounds. */
final class ValueParser {
    static final String TYPE_CODE = "PG-TY-003";
    static final int DIMENSIONS_MAX = 65_536;
    private static final int NAME_LENGTH_MAX = 255;
    private static final int NUMBER_LENGTH_MAX = 64;

    private static final Map<String, ScalarType> SCALARS = new TreeMap<>();

    /** What other languages call a type, in small letters. */
    private static final Map<String, String> OTHER_TYPES = Map.ofEntries(
            Map.entry("int", "I64"),
            Map.entry("integer", "I64"),
            Map.entry("long", "I64"),
            Map.entry("bigint", "I64"),
            Map.entry("short", "I32"),
            Map.entry("uint", "U64"),
            Map.entry("float", "F64"),
            Map.entry("double", "F64"),
            Map.entry("decimal", "F64"),
            Map.entry("number", "F64"),
            Map.entry("boolean", "Bool"),
            Map.entry("text", "String"),
            Map.entry("varchar", "String"),
            Map.entry("str", "String"),
            Map.entry("uuid", "String"),
            Map.entry("timestamp", "DateTime"),
            Map.entry("instant", "DateTime"),
            Map.entry("bytes", "Blob"),
            Map.entry("binary", "Blob"));

    static {
        for (ScalarType scalar : ScalarType.values()) {
            SCALARS.put(scalar.schemaName(), scalar);
        }
    }

    /** @param type null when it names no known type, which is reported already */
    record TypeReference(@Nullable PropertyType type, boolean nullable) {}

    private final TokenStream in;
    private final Findings findings;

    ValueParser(TokenStream in, Findings findings) {
        this.in = in;
        this.findings = findings;
    }

    TypeReference typeReference() {
        PropertyType type;
        int start = in.span().start();
        if (in.accept(TokenKind.LEFT_BRACKET)) {
            if (in.at(TokenKind.NAME) && in.tokenText().equals("enum")) {
                throw in.fail(in.span(), "a list of an enum cannot be stored", "write `[String]`");
            }
            ScalarType item = scalar();
            if (in.at(TokenKind.QUESTION)) {
                throw in.expected(
                        "`]` after the item type of a list",
                        "a stored list holds no null; a list that may be absent is `[%s]?`"
                                .formatted(item == null ? "String" : item.schemaName()));
            }
            in.expectSign(TokenKind.RIGHT_BRACKET, "after the item type of a list");
            type = item == null ? null : new PropertyType.ListOf(item);
            if (item == ScalarType.BLOB) {
                findings.add(TYPE_CODE, start, "a list of `Blob` cannot be stored");
                type = null;
            }
        } else if (in.acceptWord("enum")) {
            type = enumeration();
        } else if (in.at(TokenKind.TYPE) && in.tokenText().equals("Vector")) {
            in.advance();
            type = vector();
        } else {
            String written = in.tokenText();
            ScalarType scalar = scalar();
            if (in.at(TokenKind.LEFT_BRACKET) && in.kind(1) == TokenKind.RIGHT_BRACKET) {
                throw in.fail(in.span(), "no brackets stand after a type", "a list is written `[" + written + "]`");
            }
            type = scalar == null ? null : new PropertyType.Scalar(scalar);
        }
        return new TypeReference(type, in.accept(TokenKind.QUESTION));
    }

    private @Nullable ScalarType scalar() {
        if (!in.at(TokenKind.TYPE) && !in.at(TokenKind.NAME)) {
            throw in.expected("a type", null);
        }
        String name = in.tokenText();
        int start = in.span().start();
        in.advance();
        ScalarType scalar = SCALARS.get(name);
        if (scalar == null) {
            String near = meantType(name);
            findings.add(
                    TYPE_CODE,
                    start,
                    "`" + TokenStream.shortened(name) + "` is not a property type",
                    near == null
                            ? "a property is one of "
                                    + String.join(", ", SCALARS.keySet())
                                    + ", a list of one, enum(…) or Vector(n)"
                            : "did you mean `" + near + "`?");
        }
        return scalar;
    }

    private static @Nullable String meantType(String name) {
        String other = OTHER_TYPES.get(name.toLowerCase(Locale.ROOT));
        List<String> known = new ArrayList<>(SCALARS.keySet());
        known.add("Vector");
        return other == null ? Suggestion.nearest(name, known) : other;
    }

    private PropertyType enumeration() {
        in.expectSign(TokenKind.LEFT_PAREN, "after `enum`, as in `enum(draft, final)`");
        List<String> values = new ArrayList<>();
        do {
            values.add(enumValue());
        } while (in.accept(TokenKind.COMMA));
        if (in.at(TokenKind.BAR)) {
            throw in.expected(
                    "`)` after the values of the enum",
                    "the values of an enum are separated by commas, as in `enum(draft, final)`");
        }
        in.expectSign(TokenKind.RIGHT_PAREN, "after the values of the enum");
        return new PropertyType.EnumOf(values);
    }

    private String enumValue() {
        String value = in.rawWord(c -> Lexer.isWord((char) c) || c == '-');
        if (value == null) {
            throw in.expected("a value of the enum", in.at(TokenKind.STRING) ? "write it without quotes" : null);
        }
        return value;
    }

    private @Nullable PropertyType vector() {
        in.expectSign(TokenKind.LEFT_PAREN, "after `Vector`, as in `Vector(384)`");
        Literal dimensions = number("the number of dimensions");
        in.expectSign(TokenKind.RIGHT_PAREN, "after the number of dimensions");
        int n;
        try {
            n = Integer.parseInt(dimensions.text());
        } catch (NumberFormatException notAnInt) {
            n = 0;
        }
        if (n < 1 || n > DIMENSIONS_MAX) {
            findings.add(
                    TYPE_CODE,
                    dimensions.at(),
                    "a Vector has 1 to " + DIMENSIONS_MAX + " dimensions, not " + dimensions.text());
            return null;
        }
        return new PropertyType.VectorOf(n);
    }

    /** A number, {@code date("…")} or {@code datetime("…")}. */
    Literal bound() {
        Literal literal = literal("a bound");
        return switch (literal.kind()) {
            case NUMBER, DATE, DATETIME -> literal;
            case STRING, WORD, LIST ->
                throw in.fail(
                        in.span(),
                        "`" + TokenStream.shortened(literal.text()) + "` is not a bound",
                        "write a number, date(\"…\") or datetime(\"…\")");
        };
    }

    /** An integer or a decimal number, with a sign or without. */
    Literal number(String what) {
        Span start = in.span();
        int digits = in.at(TokenKind.MINUS) && in.tokens().start(in.index() + 1) == start.end() ? 1 : 0;
        if (in.kind(digits) != TokenKind.INT && in.kind(digits) != TokenKind.FLOAT) {
            throw in.expected(what, null);
        }
        in.accept(TokenKind.MINUS);
        in.advance();
        Span span = in.spanFrom(start);
        int length = span.end() - span.start();
        if (length > NUMBER_LENGTH_MAX) {
            in.noteToken(start.start(), "a number has at most " + NUMBER_LENGTH_MAX + " characters", null);
        }
        String text = in.text().substring(start.start(), start.start() + Math.min(length, NUMBER_LENGTH_MAX));
        return new Literal(LiteralKind.NUMBER, text, List.of(), start.start());
    }

    Literal string(String what) {
        int start = in.span().start();
        return new Literal(LiteralKind.STRING, in.string(what), List.of(), start);
    }

    /** A name with a lower-case initial. */
    Name name(String what) {
        if (!in.at(TokenKind.NAME)) {
            throw in.expected(what, in.at(TokenKind.TYPE) ? "names begin with a lower-case letter or `_`" : null);
        }
        return takeName();
    }

    /** A name with an upper-case initial. */
    Name typeName(String what) {
        if (!in.at(TokenKind.TYPE)) {
            throw in.expected(what, in.at(TokenKind.NAME) ? "type names begin with an upper-case letter" : null);
        }
        return takeName();
    }

    private Name takeName() {
        String text = in.tokenText();
        int start = in.span().start();
        in.advance();
        if (text.length() > NAME_LENGTH_MAX) {
            in.noteToken(
                    start,
                    "a name has at most " + NAME_LENGTH_MAX + " characters; this one has " + text.length(),
                    null);
            return new Name(text.substring(0, NAME_LENGTH_MAX), start);
        }
        return new Name(text, start);
    }

    /** A literal or a bare word. */
    Literal literal(String what) {
        int start = in.span().start();
        if (!in.accept(TokenKind.LEFT_BRACKET)) {
            return scalarLiteral(what);
        }
        List<Literal> items = new ArrayList<>();
        if (!in.at(TokenKind.RIGHT_BRACKET)) {
            do {
                items.add(scalarLiteral("an item of the list"));
            } while (in.accept(TokenKind.COMMA));
        }
        in.expectSign(TokenKind.RIGHT_BRACKET, "after the items of the list");
        return new Literal(
                LiteralKind.LIST,
                "[" + String.join(", ", items.stream().map(Literal::text).toList()) + "]",
                items,
                start);
    }

    private Literal scalarLiteral(String what) {
        int start = in.span().start();
        return switch (in.kind()) {
            case STRING -> string(what);
            case INT, FLOAT, MINUS -> number(what);
            case NAME, TYPE -> {
                String word = takeName().text();
                boolean date = word.equals("date");
                if ((date || word.equals("datetime")) && in.accept(TokenKind.LEFT_PAREN)) {
                    Literal text = string("a string, as in `date(\"2024-01-31\")`");
                    in.expectSign(TokenKind.RIGHT_PAREN, "after the string");
                    yield new Literal(date ? LiteralKind.DATE : LiteralKind.DATETIME, text.text(), List.of(), start);
                }
                yield new Literal(LiteralKind.WORD, word, List.of(), start);
            }
            default -> throw in.expected(what, null);
        };
    }
}
