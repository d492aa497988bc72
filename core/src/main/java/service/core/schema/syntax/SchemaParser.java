package service.core.schema.syntax;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.schema.syntax.SyntaxTree.AnnotationNode;
import service.core.schema.syntax.SyntaxTree.CardNode;
import service.core.schema.syntax.SyntaxTree.ConstraintNode;
import service.core.schema.syntax.SyntaxTree.Declaration;
import service.core.schema.syntax.SyntaxTree.EdgeNode;
import service.core.schema.syntax.SyntaxTree.InterfaceNode;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.schema.syntax.SyntaxTree.NamedArgument;
import service.core.schema.syntax.SyntaxTree.NodeNode;
import service.core.schema.syntax.SyntaxTree.PropertyNode;
import service.core.text.Findings;
import service.core.text.Language;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/**
 * Parses declarations and bodies by recursive descent over the grammar in {@code docs/schema.md}, one method per rule.
 *
 * <p>After a mistake it continues at the next place that looks like the beginning of a property, a constraint or a
 * declaration, so that one pass finds several mistakes. Every loop consumes a token or ends. The deepest nesting is a
 * list in an annotation, so the depth of the stack is bounded and time is linear.
 */
public final class SchemaParser {
    /** Maximum number of findings in one source; parsing ends when it is reached. */
    public static final int FINDINGS_MAX = 100;

    private static final String CODE = "PG-SY-001";

    private static final Language SCHEMA = new Language(
            EnumSet.of(
                    TokenKind.LEFT_PAREN,
                    TokenKind.RIGHT_PAREN,
                    TokenKind.LEFT_BRACE,
                    TokenKind.RIGHT_BRACE,
                    TokenKind.LEFT_BRACKET,
                    TokenKind.RIGHT_BRACKET,
                    TokenKind.COLON,
                    TokenKind.COMMA,
                    TokenKind.QUESTION,
                    TokenKind.AT,
                    TokenKind.EQUAL,
                    TokenKind.MINUS,
                    TokenKind.ARROW,
                    TokenKind.RANGE),
            Map.of(
                    ';', "leave it out: white space separates properties",
                    '>', "an edge goes from `A -> B`",
                    '*', "a bound without end is left out, as in `@card(0..)`",
                    '!', "leave it out: a value is required unless `?` follows its type",
                    '|', "the values of an enum are separated by commas, as in `enum(draft, final)`"),
            "PG-SY-002",
            CODE);

    /** Words that begin a constraint of the body when they are between {@code @} and {@code (}. */
    private static final Set<String> CONSTRAINTS = Set.of("key", "unique", "index", "range", "check");

    /** Words that are often written without their {@code @}. */
    private static final Set<String> ANNOTATIONS =
            Set.of("key", "unique", "index", "range", "check", "default", "embed", "description");

    /** What other languages call a declaration. */
    private static final Map<String, String> OTHER_WORDS = Map.of(
            "type", "node",
            "class", "node",
            "entity", "node",
            "table", "node",
            "vertex", "node",
            "relation", "edge",
            "relationship", "edge",
            "link", "edge",
            "trait", "interface");

    /** What other languages write before the interfaces of a type. */
    private static final Set<String> EXTENDS = Set.of("extends", "inherits", "implement");

    private static final Set<String> DECLARATIONS = Set.of("interface", "node", "edge");

    private final TokenStream in;
    private final ValueParser values;
    private final Findings findings;

    private SchemaParser(TokenStream in, Findings findings) {
        this.in = in;
        this.findings = findings;
        this.values = new ValueParser(in, findings);
    }

    /**
     * Parses the whole source. Mistakes go to {@code findings}; the tree holds all declarations and members without
     * one.
     */
    public static SyntaxTree parse(String source, Findings findings) {
        return new SchemaParser(new TokenStream(SCHEMA, source, findings), findings).schema();
    }

    private SyntaxTree schema() {
        List<Declaration> declarations = new ArrayList<>();
        while (!in.at(TokenKind.END) && !findings.isFull()) {
            try {
                declarations.add(declaration());
            } catch (TokenStream.Mistake noted) {
                do {
                    in.advance();
                } while (!in.at(TokenKind.END) && !startsDeclaration());
            }
        }
        return new SyntaxTree(declarations);
    }

    private boolean startsDeclaration() {
        return in.kind() == TokenKind.NAME && DECLARATIONS.contains(in.tokenText()) && in.kind(1) == TokenKind.TYPE;
    }

    private Declaration declaration() {
        if (in.acceptWord("interface")) {
            return interfaceDeclaration();
        }
        if (in.acceptWord("node")) {
            return node();
        }
        if (in.acceptWord("edge")) {
            return edge();
        }
        throw in.expected("`interface`, `node` or `edge`", declarationHint());
    }

    private @Nullable String declarationHint() {
        String word = in.tokenText();
        if (word.equals("enum")) {
            return "an enum has no name: write its values where the property is declared, as in"
                    + " `mood: enum(happy, sad)`";
        }
        if (startsConstraint()) {
            return "a constraint stands in the body of its type, as in `{ @%s(…) }`".formatted(in.tokenText(1));
        }
        if (in.at(TokenKind.AT) && in.tokenText(1).equals("card")) {
            return "`@card` follows the edge's ends, before all else: `edge Knows: Person -> Person @card(0..1) { … }`";
        }
        String meant = OTHER_WORDS.get(word.toLowerCase(Locale.ROOT));
        return meant == null ? Suggestion.didYouMean(word, DECLARATIONS) : "did you mean `" + meant + "`?";
    }

    private InterfaceNode interfaceDeclaration() {
        Name name = values.typeName("the interface's name");
        Body body = body("interface `" + name.text() + "`");
        for (ConstraintNode constraint : body.constraints) {
            findings.add(
                    CODE,
                    constraint.at(),
                    "interface `" + name.text() + "` cannot hold a constraint of its body",
                    "put it into the node types, or annotate the property");
        }
        return new InterfaceNode(name, body.properties);
    }

    private NodeNode node() {
        Name name = values.typeName("the node type's name");
        List<AnnotationNode> annotations = annotations();
        List<Name> interfaces = new ArrayList<>();
        if (in.acceptWord("implements")) {
            do {
                interfaces.add(values.typeName("the name of an interface"));
            } while (in.accept(TokenKind.COMMA));
        }
        Body body = body("node `" + name.text() + "`");
        return new NodeNode(name, annotations, interfaces, body.properties, body.constraints);
    }

    private EdgeNode edge() {
        Name name = values.typeName("the edge type's name");
        in.expectSign(TokenKind.COLON, "after the edge's name, as in `edge Knows: Person -> Person`");
        Name source = values.typeName("the source node type");
        in.expectSign(TokenKind.ARROW, "between the edge's ends, as in `edge Knows: Person -> Person`");
        Name destination = values.typeName("the destination node type");
        CardNode card = null;
        if (in.at(TokenKind.AT) && in.tokenText(1).equals("card")) {
            int at = in.span().start();
            in.advance();
            in.advance();
            card = card(at);
        }
        List<AnnotationNode> annotations = annotations();
        Body body = in.at(TokenKind.LEFT_BRACE)
                ? body("edge `" + name.text() + "`")
                : new Body(new ArrayList<>(), new ArrayList<>());
        return new EdgeNode(name, source, destination, card, annotations, body.properties, body.constraints);
    }

    private CardNode card(int at) {
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

    private record Body(List<PropertyNode> properties, List<ConstraintNode> constraints) {}

    private Body body(String owner) {
        if (in.at(TokenKind.NAME) && EXTENDS.contains(in.tokenText())) {
            throw in.expected("`{` to open the body of " + owner, "did you mean `implements`?");
        }
        in.expectSign(TokenKind.LEFT_BRACE, "to open the body of " + owner);
        Body body = new Body(new ArrayList<>(), new ArrayList<>());
        boolean commas = false;
        while (!findings.isFull()) {
            if (in.accept(TokenKind.RIGHT_BRACE)) {
                return body;
            }
            if (in.at(TokenKind.COMMA) && !body.properties.isEmpty()) {
                if (!commas) {
                    in.note(
                            in.span().start(),
                            "no comma stands between properties",
                            "leave it out; white space is enough");
                }
                commas = true;
                in.advance();
                continue;
            }
            if (in.at(TokenKind.END) || (startsDeclaration() && in.kind(1) != TokenKind.COLON)) {
                throw in.fail(in.span(), "the body of " + owner + " is never closed", "write `}` before this");
            }
            try {
                if (in.at(TokenKind.AT)) {
                    body.constraints.add(constraint(body));
                } else {
                    body.properties.add(property());
                }
            } catch (TokenStream.Mistake noted) {
                skipToNextMember();
            }
        }
        return body;
    }

    private void skipToNextMember() {
        while (!in.at(TokenKind.END) && !in.at(TokenKind.RIGHT_BRACE) && !startsDeclaration()) {
            boolean property = in.kind() == TokenKind.NAME && in.kind(1) == TokenKind.COLON;
            if (property || startsConstraint()) {
                return;
            }
            in.advance();
        }
    }

    private boolean startsConstraint() {
        return in.at(TokenKind.AT) && CONSTRAINTS.contains(in.tokenText(1)) && in.kind(2) == TokenKind.LEFT_PAREN;
    }

    private PropertyNode property() {
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

    private ConstraintNode constraint(Body body) {
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
                                            body.properties.isEmpty()
                                                    ? "age"
                                                    : body.properties
                                                            .getLast()
                                                            .name()
                                                            .text()));
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
    private List<AnnotationNode> annotations() {
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
