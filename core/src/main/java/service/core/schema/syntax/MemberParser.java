package service.core.schema.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import service.core.error.Suggestion;
import service.core.schema.syntax.SyntaxTree.AnnotationNode;
import service.core.schema.syntax.SyntaxTree.CardNode;
import service.core.schema.syntax.SyntaxTree.ConstraintNode;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.schema.syntax.SyntaxTree.NamedArgument;
import service.core.schema.syntax.SyntaxTree.PropertyNode;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** Parses properties, constraints and annotations; a mistake is thrown to {@link SchemaParser}, which continues. */
final class MemberParser {
    /** Words that begin a constraint of the body when they are between {@code @} and {@code (}. */
    private static final Set<String> CONSTRAINTS = Set.of("key", "unique", "index", "range", "check");

    /** Words that are often written without their {@code @}. */
    private static final Set<String> ANNOTATIONS =
            Set.of("key", "unique", "index", "range", "check", "default", "embed", "search", "description");

    private final TokenStream in;
    private final ValueParser values;

    MemberParser(TokenStream in, ValueParser values) {
        this.in = in;
        this.values = values;
    }

    /** The bounds after {@code @card}, which began at that offset. */
    CardNode card(int at) {
        in.expectSign(TokenKind.LEFT_PAREN, "after `@card`, as in `@card(0..1)`");
        Literal min = values.number("the least number of edges");
        in.expectSign(TokenKind.RANGE, "between the bounds of `@card`, as in `@card(0..1)`");
        if (in.at(TokenKind.NAME)) {
            throw in.expected("the greatest number of edges", "without a greatest number it is left out: `@card(0..)`");
        }
        Literal max = in.at(TokenKind.RIGHT_PAREN) ? null : values.number("the greatest number of edges");
        in.expectSign(TokenKind.RIGHT_PAREN, "after the bounds of `@card`");
        return new CardNode(min, max, at);
    }

    /** Whether a constraint of a body begins here. */
    boolean startsConstraint() {
        return in.at(TokenKind.AT) && CONSTRAINTS.contains(in.tokenText(1)) && in.kind(2) == TokenKind.LEFT_PAREN;
    }

    PropertyNode property() {
        Name name = values.name("a property, a constraint or `}`");
        if (!in.at(TokenKind.COLON)) {
            throw in.expected(
                    "`:` between the property `" + name.text() + "` and its type",
                    ANNOTATIONS.contains(name.text()) ? "did you mean `@" + name.text() + "`?" : null);
        }
        in.advance();
        ValueParser.TypeReference reference = values.typeReference();
        return new PropertyNode(name, reference.type(), reference.nullable(), annotations());
    }

    /**
     * A constraint of a body.
     *
     * @param before the properties before it
     */
    ConstraintNode constraint(List<PropertyNode> before) {
        int at = in.span().start();
        String word = in.tokenText(1);
        if (!startsConstraint()) {
            String near = Suggestion.nearest(word, CONSTRAINTS);
            throw in.fail(
                    in.span(),
                    "`@" + TokenStream.shortened(word) + "` is not a constraint of a body",
                    CONSTRAINTS.contains(word)
                            ? "name its members in parentheses, as in `@unique(name)`"
                            : near == null
                                    ? "a body may hold @key(…), @unique(…), @index(…), @range(…), @check(…)"
                                    : "did you mean `@" + near + "`?");
        }
        in.advance();
        in.advance();
        in.advance();
        return switch (word) {
            case "range" -> {
                if (!in.at(TokenKind.NAME)) {
                    throw in.expected(
                            "the property that `@range` bounds",
                            "name the property before its bounds, as in `@range(%s, 0..10)`"
                                    .formatted(
                                            before.isEmpty()
                                                    ? "age"
                                                    : before.getLast().name().text()));
                }
                Name property = values.name("the property that `@range` bounds");
                in.expectSign(TokenKind.COMMA, "after the property of `@range`, as in `@range(age, 0..150)`");
                Literal min = in.at(TokenKind.RANGE) ? null : values.bound();
                in.expectSign(TokenKind.RANGE, "between the bounds of `@range`, as in `@range(age, 0..150)`");
                Literal max = in.at(TokenKind.RIGHT_PAREN) ? null : values.bound();
                in.expectSign(TokenKind.RIGHT_PAREN, "after the bounds of `@range`");
                yield new ConstraintNode.Range(property, min, max, at);
            }
            case "check" -> {
                Name property = values.name("the property that `@check` tests");
                in.expectSign(TokenKind.COMMA, "after the property of `@check`, as in `@check(email, \".+@.+\")`");
                Literal pattern = values.string("the regular expression of `@check`");
                in.expectSign(TokenKind.RIGHT_PAREN, "after the regular expression of `@check`");
                yield new ConstraintNode.Check(property, pattern, at);
            }
            default -> {
                List<Name> members = new ArrayList<>();
                do {
                    members.add(values.name("a property that `@" + word + "` names"));
                } while (in.accept(TokenKind.COMMA));
                in.expectSign(TokenKind.RIGHT_PAREN, "after the members of `@" + word + "`");
                yield new ConstraintNode.Members(word, members, at);
            }
        };
    }

    /**
     * The annotations from here. One of {@link #CONSTRAINTS} before a parenthesis belongs to the body and ends the
     * list.
     */
    List<AnnotationNode> annotations() {
        List<AnnotationNode> annotations = new ArrayList<>();
        while (in.at(TokenKind.AT) && !startsConstraint()) {
            in.advance();
            if (in.at(TokenKind.AT)) {
                throw in.expected("the annotation's name after `@`", "one `@` is enough");
            }
            Name name = values.name("the annotation's name after `@`");
            Literal argument = null;
            List<NamedArgument> named = new ArrayList<>();
            if (in.accept(TokenKind.LEFT_PAREN)) {
                argument = values.literal("the argument of `@" + name.text() + "`");
                while (in.accept(TokenKind.COMMA)) {
                    Name key = values.name("the name of a further argument, as in `@" + name.text() + "(…, name = 1)`");
                    in.expectSign(TokenKind.EQUAL, "between the argument `" + key.text() + "` and its value");
                    named.add(new NamedArgument(key, values.literal("the value of `" + key.text() + "`")));
                }
                in.expectSign(TokenKind.RIGHT_PAREN, "after the arguments of `@" + name.text() + "`");
            }
            annotations.add(new AnnotationNode(name, argument, named));
        }
        return annotations;
    }
}
