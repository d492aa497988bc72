package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import service.core.error.Suggestion;
import service.core.text.Lexer;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** Parses the types of parameters: {@code String}, {@code [I64]}, {@code enum(a, b)}, {@code Vector(3)}. */
final class TypeParser {
    /** Values of the enum of a parameter; one in a schema may have more. */
    private static final int VALUES_MAX = 1_000;

    private static final int VECTOR_DIMENSIONS_MAX = 65_535;
    private static final Map<String, ScalarType> SCALARS = Arrays.stream(ScalarType.values())
            .collect(Collectors.toUnmodifiableMap(ScalarType::schemaName, Function.identity()));

    private final TokenStream tokens;
    private final Literals literals;

    TypeParser(TokenStream tokens, Literals literals) {
        this.tokens = tokens;
        this.literals = literals;
    }

    PropertyType type() {
        if (tokens.accept(TokenKind.LEFT_BRACKET)) {
            ScalarType item = scalar();
            tokens.expect(TokenKind.RIGHT_BRACKET, "`]` after the type of the list's items");
            return new PropertyType.ListOf(item);
        }
        if (tokens.atWord("enum")) {
            return enumeration();
        }
        if (tokens.at(TokenKind.TYPE) && tokens.tokenText().equals("Vector")) {
            tokens.advance();
            tokens.expect(TokenKind.LEFT_PAREN, "`(` and the number of dimensions after `Vector`");
            Span span = tokens.span();
            int dimensions = literals.smallInteger("the number of dimensions");
            if (dimensions < 1 || dimensions > VECTOR_DIMENSIONS_MAX) {
                throw tokens.fail(span, "a vector has 1 to " + VECTOR_DIMENSIONS_MAX + " dimensions", null);
            }
            tokens.expect(TokenKind.RIGHT_PAREN, "`)`");
            return new PropertyType.VectorOf(dimensions);
        }
        return new PropertyType.Scalar(scalar());
    }

    private ScalarType scalar() {
        String name = tokens.tokenText();
        ScalarType scalar = SCALARS.get(name);
        if (scalar == null) {
            String near = Suggestion.didYouMean(name, SCALARS.keySet());
            throw tokens.expected(
                    "a type",
                    near != null
                            ? near
                            : "the types are String, Bool, I32, I64, U32, U64, F32, F64, Date, DateTime, Blob, lists"
                                    + " such as [String], enum(a, b) and Vector(3)");
        }
        tokens.advance();
        return scalar;
    }

    private PropertyType enumeration() {
        tokens.advance();
        tokens.expect(TokenKind.LEFT_PAREN, "`(` and the values after `enum`");
        List<String> values = new ArrayList<>();
        do {
            if (values.size() == VALUES_MAX) {
                throw tokens.stop(
                        tokens.span(),
                        "the enum has more than " + VALUES_MAX + " values",
                        "declare the parameter as a String: it is compared with an enum as well");
            }
            String value = tokens.rawWord(c -> Lexer.isWord((char) c) || c == '-');
            if (value == null) {
                throw tokens.expected("a value of the enum", "values are made of letters, digits, `_` and `-`");
            }
            values.add(value);
        } while (tokens.accept(TokenKind.COMMA));
        tokens.expect(TokenKind.RIGHT_PAREN, "`,` or `)`");
        return new PropertyType.EnumOf(values);
    }
}
