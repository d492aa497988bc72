package service.core.schema.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.schema.syntax.SchemaParser.Mistake;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.LiteralKind;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** The rules for type references, literals and bounds. */
final class ValueParser {
    static final String TYPE_CODE = "PG-TY-003";
    static final int DIMENSIONS_MAX = 65_536;

    private static final Map<String, ScalarType> SCALARS = new TreeMap<>();

    static {
        for (ScalarType scalar : ScalarType.values()) {
            SCALARS.put(scalar.schemaName(), scalar);
        }
    }

    /** @param type null when it names no known type, which is reported already */
    record TypeReference(@Nullable PropertyType type, boolean nullable) {}

    private final SchemaTokenStream in;
    private final Problems problems;

    ValueParser(SchemaTokenStream in, Problems problems) {
        this.in = in;
        this.problems = problems;
    }

    TypeReference typeReference() {
        PropertyType type;
        Token first = in.peek();
        if (in.take("[")) {
            ScalarType item = scalar();
            in.expect("]", "after the item type of a list");
            type = item == null ? null : new PropertyType.ListOf(item);
            if (item == ScalarType.BLOB) {
                problems.add(TYPE_CODE, first.start(), "a list of `Blob` cannot be stored");
                type = null;
            }
        } else if (first.kind() == Token.Kind.NAME && first.text().equals("enum")) {
            in.next();
            type = enumeration();
        } else if (first.kind() == Token.Kind.TYPE && first.text().equals("Vector")) {
            in.next();
            type = vector();
        } else {
            ScalarType scalar = scalar();
            type = scalar == null ? null : new PropertyType.Scalar(scalar);
        }
        return new TypeReference(type, in.take("?"));
    }

    private @Nullable ScalarType scalar() {
        Token token = in.peek();
        if (token.kind() != Token.Kind.TYPE && token.kind() != Token.Kind.NAME) {
            throw new Mistake(token, "expected a type, found " + token.described(), null);
        }
        in.next();
        ScalarType scalar = SCALARS.get(token.text());
        if (scalar == null) {
            List<String> known = new ArrayList<>(SCALARS.keySet());
            known.add("Vector");
            String near = Suggestion.nearest(token.text(), known);
            problems.add(
                    TYPE_CODE,
                    token.start(),
                    "`" + Token.shortened(token.text()) + "` is not a property type",
                    near == null
                            ? "a property is one of "
                                    + String.join(", ", SCALARS.keySet())
                                    + ", a list of one, enum(…) or Vector(n)"
                            : "did you mean `" + near + "`?");
        }
        return scalar;
    }

    private PropertyType enumeration() {
        in.expect("(", "after `enum`, as in `enum(draft, final)`");
        List<String> values = new ArrayList<>();
        do {
            values.add(enumValue());
        } while (in.take(","));
        in.expect(")", "after the values of the enum");
        return new PropertyType.EnumOf(values);
    }

    /** Letters, digits, underscores and minus signs without blanks: whatever tokens they were cut into, they touch. */
    private String enumValue() {
        StringBuilder value = new StringBuilder();
        Token first = in.peek();
        int end = first.start();
        while (in.peek().start() == end && isEnumPart(in.peek())) {
            end = in.peek().end();
            value.append(in.next().text());
        }
        if (value.isEmpty()) {
            throw new Mistake(
                    first,
                    "expected a value of the enum, found " + first.described(),
                    first.kind() == Token.Kind.STRING ? "write it without quotes" : null);
        }
        return value.toString();
    }

    private static boolean isEnumPart(Token token) {
        return switch (token.kind()) {
            case TYPE, NAME -> true;
            case NUMBER -> token.text().indexOf('.') < 0 && token.text().indexOf('+') < 0;
            case SIGN -> token.is("-");
            case STRING, END -> false;
        };
    }

    private @Nullable PropertyType vector() {
        in.expect("(", "after `Vector`, as in `Vector(384)`");
        Literal dimensions = number("the number of dimensions");
        in.expect(")", "after the number of dimensions");
        int n;
        try {
            n = Integer.parseInt(dimensions.text());
        } catch (NumberFormatException notAnInt) {
            n = 0;
        }
        if (n < 1 || n > DIMENSIONS_MAX) {
            problems.add(
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
                throw new Mistake(
                        in.peek(),
                        "`" + Token.shortened(literal.text()) + "` is not a bound",
                        "write a number, date(\"…\") or datetime(\"…\")");
        };
    }

    Literal number(String what) {
        return only(Token.Kind.NUMBER, LiteralKind.NUMBER, what);
    }

    Literal string(String what) {
        return only(Token.Kind.STRING, LiteralKind.STRING, what);
    }

    private Literal only(Token.Kind kind, LiteralKind literalKind, String what) {
        Token token = in.peek();
        if (token.kind() != kind) {
            throw new Mistake(token, "expected " + what + ", found " + token.described(), null);
        }
        in.next();
        return new Literal(literalKind, token.text(), List.of(), token.start());
    }

    /** A literal or a bare word. */
    Literal literal(String what) {
        Token open = in.peek();
        if (!in.take("[")) {
            return scalarLiteral(what);
        }
        List<Literal> items = new ArrayList<>();
        if (!in.peek().is("]")) {
            do {
                items.add(scalarLiteral("an item of the list"));
            } while (in.take(","));
        }
        in.expect("]", "after the items of the list");
        return new Literal(
                LiteralKind.LIST,
                "[" + String.join(", ", items.stream().map(Literal::text).toList()) + "]",
                items,
                open.start());
    }

    private Literal scalarLiteral(String what) {
        Token token = in.peek();
        return switch (token.kind()) {
            case STRING -> string(what);
            case NUMBER -> number(what);
            case NAME, TYPE -> {
                in.next();
                boolean date = token.text().equals("date");
                if ((date || token.text().equals("datetime")) && in.take("(")) {
                    Literal text = string("a string, as in `date(\"2024-01-31\")`");
                    in.expect(")", "after the string");
                    yield new Literal(
                            date ? LiteralKind.DATE : LiteralKind.DATETIME, text.text(), List.of(), token.start());
                }
                yield new Literal(LiteralKind.WORD, token.text(), List.of(), token.start());
            }
            case SIGN, END -> throw new Mistake(token, "expected " + what + ", found " + token.described(), null);
        };
    }
}
