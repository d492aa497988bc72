package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** The type given to a parameter that is a list of records: {@link GqFile.Parameter#fields} says what they hold. */
    static final PropertyType RECORDS = new PropertyType.ListOf(ScalarType.STRING);

    private static final int FIELDS_MAX = 1_000;

    private final TokenStream tokens;
    private final Literals literals;

    TypeParser(TokenStream tokens, Literals literals) {
        this.tokens = tokens;
        this.literals = literals;
    }

    /** Whether the type is a list of records, which {@link #fields} parses. */
    boolean atRecords() {
        return tokens.at(TokenKind.LEFT_BRACKET) && tokens.kind(1) == TokenKind.LEFT_BRACE;
    }

    /** {@code [{name: String, age: I32?}]}; at least one field. */
    List<GqFile.Parameter> fields() {
        tokens.advance();
        tokens.advance();
        List<GqFile.Parameter> fields = new ArrayList<>();
        Set<String> names = new HashSet<>();
        do {
            Span span = tokens.span();
            String name = tokens.expect(TokenKind.NAME, "the name of a field, such as `name: String`");
            if (fields.size() == FIELDS_MAX) {
                throw tokens.stop(span, "the record has more than " + FIELDS_MAX + " fields", null);
            }
            if (!names.add(name)) {
                tokens.note(span.start(), "the field `" + name + "` is declared twice", "keep one of the two");
            }
            tokens.expect(TokenKind.COLON, "`:` and a type after `" + name + "`");
            PropertyType type = type();
            boolean nullable = tokens.accept(TokenKind.QUESTION);
            fields.add(new GqFile.Parameter(name, type, nullable, null, List.of(), span));
        } while (tokens.accept(TokenKind.COMMA) && !tokens.at(TokenKind.RIGHT_BRACE));
        tokens.expect(TokenKind.RIGHT_BRACE, "`,` or `}` after the field");
        tokens.expect(TokenKind.RIGHT_BRACKET, "`]` after the record");
        return List.copyOf(fields);
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
