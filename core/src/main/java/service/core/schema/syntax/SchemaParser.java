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
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.schema.syntax.SyntaxTree.NodeNode;
import service.core.schema.syntax.SyntaxTree.PropertyNode;
import service.core.text.Findings;
import service.core.text.Language;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/**
 * Parses declarations and bodies by recursive descent over the grammar in {@code docs/schema.md}, one method per rule.
 *
 * <p>After a mistake it continues at the next place that looks like the beginning of a property, a constraint, a body
 * or a declaration, so that one pass finds several mistakes. A type whose head or body has a mistake is declared all
 * the same, and the words of the text that was skipped are doubtful ({@link Findings#doubt}): that they name nothing is
 * no further mistake. Every loop consumes a token or ends. The deepest nesting is a list in an annotation, so the depth
 * of the stack is bounded and time is linear.
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
                    TokenKind.BAR,
                    TokenKind.MINUS,
                    TokenKind.ARROW,
                    TokenKind.RANGE),
            Map.of(
                    ';', "leave it out: white space separates properties",
                    '>', "an edge goes from `A -> B`",
                    '*', "a bound without end is left out, as in `@card(0..)`",
                    '!', "leave it out: a value is required unless `?` follows its type"),
            "PG-SY-002",
            CODE);

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
    private final MemberParser members;
    private final Findings findings;

    private SchemaParser(TokenStream in, Findings findings) {
        this.in = in;
        this.findings = findings;
        this.values = new ValueParser(in, findings);
        this.members = new MemberParser(in, values);
    }

    /**
     * Parses the whole source. Mistakes go to {@code findings}; the tree holds all declarations and members without
     * one.
     */
    public static SyntaxTree parse(String source, Findings findings) {
        return new SchemaParser(new TokenStream(SCHEMA, source, findings), findings).schema();
    }

    /** The source laid out; its meaning is the same. */
    public static String format(String source) {
        return SCHEMA.format(source);
    }

    private SyntaxTree schema() {
        List<Declaration> declarations = new ArrayList<>();
        while (!in.at(TokenKind.END) && !findings.isFull()) {
            int first = in.index();
            try {
                Declaration declaration = declaration();
                if (declaration != null) {
                    declarations.add(declaration);
                }
            } catch (TokenStream.Mistake noted) {
                if (in.index() == first) {
                    in.advance();
                }
                while (!in.at(TokenKind.END) && !resumesAtDeclaration()) {
                    in.advance();
                }
                doubtFrom(first);
            }
        }
        return new SyntaxTree(declarations);
    }

    /** Doubts what stands between the token before one and the current token, comments included. */
    private void doubtFrom(int token) {
        findings.doubt(in.text()
                .substring(
                        token == 0 ? 0 : in.tokens().end(token - 1), in.span().start()));
    }

    private boolean startsDeclaration() {
        return in.kind() == TokenKind.NAME && DECLARATIONS.contains(in.tokenText()) && in.kind(1) == TokenKind.TYPE;
    }

    /** Whether parsing may continue here after a mistake: the word for a declaration alone may be the mistake. */
    private boolean resumesAtDeclaration() {
        return startsDeclaration() && (in.firstOnLine() || in.follows(TokenKind.RIGHT_BRACE));
    }

    /** The next declaration; null for one that has no name, or no ends. Its mistakes are noted. */
    private @Nullable Declaration declaration() {
        String word = in.tokenText();
        if (!in.at(TokenKind.NAME) || !DECLARATIONS.contains(word)) {
            TokenStream.Mistake mistake = in.expected("`interface`, `node` or `edge`", declarationHint());
            if (!in.at(TokenKind.NAME) || in.kind(1) != TokenKind.TYPE || word.equals("enum")) {
                throw mistake;
            }
            word = meantDeclaration(word);
        }
        in.advance();
        return switch (word) {
            case "interface" -> interfaceDeclaration();
            case "edge" -> edge();
            default -> node();
        };
    }

    /** What a wrong word before a type's name probably means. */
    private String meantDeclaration(String word) {
        if (in.kind(2) == TokenKind.COLON) {
            return "edge";
        }
        String near = Suggestion.nearest(word, DECLARATIONS);
        return near != null ? near : OTHER_WORDS.getOrDefault(word.toLowerCase(Locale.ROOT), "node");
    }

    private @Nullable String declarationHint() {
        String word = in.tokenText();
        if (word.equals("enum")) {
            return "an enum has no name: write its values where the property is declared, as in"
                    + " `mood: enum(happy, sad)`";
        }
        if (members.startsConstraint()) {
            return "a constraint stands in the body of its type, as in `{ @%s(…) }`".formatted(in.tokenText(1));
        }
        if (in.at(TokenKind.AT) && in.tokenText(1).equals("card")) {
            return "`@card` follows the edge's ends, before all else: `edge Knows: Person -> Person @card(0..1) { … }`";
        }
        String meant = OTHER_WORDS.get(word.toLowerCase(Locale.ROOT));
        return meant == null ? Suggestion.didYouMean(word, DECLARATIONS) : "did you mean `" + meant + "`?";
    }

    /** The name of a type; null for a wrong one, which leaves every type's name doubtful. */
    private @Nullable Name typeName(String what) {
        try {
            return values.typeName(what);
        } catch (TokenStream.Mistake noted) {
            findings.doubtAll();
            return null;
        }
    }

    private @Nullable InterfaceNode interfaceDeclaration() {
        Name name = typeName("the interface's name");
        if (name == null) {
            skipToBody();
            bodyIfAny("an interface");
            return null;
        }
        if (!in.at(TokenKind.LEFT_BRACE)) {
            // It may be a node type after a wrong word.
            findings.doubt(name.text());
        }
        Body body = body("interface `" + name.text() + "`");
        if (!body.constraints.isEmpty()) {
            findings.add(
                    CODE,
                    body.constraints.getFirst().at(),
                    "interface `" + name.text() + "` cannot hold a constraint of its body",
                    "put it into the node types, or annotate the property");
        }
        return new InterfaceNode(name, body.properties);
    }

    private @Nullable NodeNode node() {
        Name name = typeName("the node type's name");
        List<AnnotationNode> annotations = new ArrayList<>();
        List<Name> interfaces = new ArrayList<>();
        String owner = name == null ? "a node type" : "node `" + name.text() + "`";
        Body body;
        if (name != null && isHeadWhole(annotations, interfaces)) {
            body = body(owner);
        } else {
            skipToBody();
            body = bodyIfAny(owner);
        }
        return name == null ? null : new NodeNode(name, annotations, interfaces, body.properties, body.constraints);
    }

    /** Reads what stands between the name of a node type and its body. */
    private boolean isHeadWhole(List<AnnotationNode> annotations, List<Name> interfaces) {
        try {
            headOfNode(annotations, interfaces);
            return true;
        } catch (TokenStream.Mistake noted) {
            return false;
        }
    }

    private void headOfNode(List<AnnotationNode> annotations, List<Name> interfaces) {
        annotations.addAll(members.annotations());
        if (in.acceptWord("implements")) {
            do {
                interfaces.add(values.typeName("the name of an interface"));
            } while (in.accept(TokenKind.COMMA));
            if (in.at(TokenKind.AT) && !members.startsConstraint()) {
                in.note(
                        in.span().start(),
                        "annotations stand before `implements`",
                        "move `@" + TokenStream.shortened(in.tokenText(1)) + "` in front of it");
                annotations.addAll(members.annotations());
            }
        }
    }

    private @Nullable EdgeNode edge() {
        int first = in.index();
        try {
            return wholeEdge();
        } catch (TokenStream.Mistake noted) {
            skipToBody();
            // It may be a node type after a wrong word.
            doubtFrom(first);
            bodyIfAny("an edge");
            return null;
        }
    }

    private EdgeNode wholeEdge() {
        Name name = values.typeName("the edge type's name");
        in.expectSign(TokenKind.COLON, "after the edge's name, as in `edge Knows: Person -> Person`");
        List<Name> source = ends("the source node type");
        in.expectSign(TokenKind.ARROW, "between the edge's ends, as in `edge Knows: Person -> Person`");
        List<Name> destination = ends("the destination node type");
        CardNode card = null;
        if (in.at(TokenKind.AT) && in.tokenText(1).equals("card")) {
            int at = in.span().start();
            in.advance();
            in.advance();
            card = members.card(at);
        }
        List<AnnotationNode> annotations = members.annotations();
        Body body = in.at(TokenKind.LEFT_BRACE)
                ? body("edge `" + name.text() + "`")
                : new Body(new ArrayList<>(), new ArrayList<>());
        return new EdgeNode(name, source, destination, card, annotations, body.properties, body.constraints);
    }

    /** {@code Type { "|" Type }}. */
    private List<Name> ends(String what) {
        List<Name> types = new ArrayList<>();
        do {
            types.add(values.typeName(types.isEmpty() ? what : "another type of this end"));
        } while (in.accept(TokenKind.BAR));
        return types;
    }

    private record Body(List<PropertyNode> properties, List<ConstraintNode> constraints) {}

    /** Skips the rest of a head that has a mistake. */
    private void skipToBody() {
        int first = in.index();
        while (!in.at(TokenKind.END) && !in.at(TokenKind.LEFT_BRACE) && !resumesAtDeclaration()) {
            in.advance();
        }
        doubtFrom(first);
    }

    /** The body of a type whose head has a mistake: it may be missing, too. */
    private Body bodyIfAny(String owner) {
        return in.at(TokenKind.LEFT_BRACE) ? body(owner) : new Body(new ArrayList<>(), new ArrayList<>());
    }

    /** The body of a type. Where only its brace is missing it is read as if it were there. */
    private Body body(String owner) {
        if (!in.accept(TokenKind.LEFT_BRACE)) {
            boolean extending = in.at(TokenKind.NAME) && EXTENDS.contains(in.tokenText());
            var unused =
                    in.expected("`{` to open the body of " + owner, extending ? "did you mean `implements`?" : null);
            boolean inBody = (in.at(TokenKind.NAME) && in.kind(1) == TokenKind.COLON)
                    || members.startsConstraint()
                    || (in.at(TokenKind.RIGHT_BRACE) && !in.wordAhead(1, "implements"));
            if (!inBody) {
                skipToBody();
                if (!in.accept(TokenKind.LEFT_BRACE)) {
                    return new Body(new ArrayList<>(), new ArrayList<>());
                }
            }
        }
        return bodyMembers(owner);
    }

    private Body bodyMembers(String owner) {
        Body body = new Body(new ArrayList<>(), new ArrayList<>());
        boolean commas = false;
        int before = in.index();
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
            if (in.at(TokenKind.END) || startsDeclaration()) {
                var unused = in.fail(in.span(), "the body of " + owner + " is never closed", "write `}` before this");
                return body;
            }
            int first = in.index();
            boolean isNamed = in.at(TokenKind.AT) || in.at(TokenKind.NAME);
            try {
                if (in.at(TokenKind.AT)) {
                    body.constraints.add(members.constraint(body.properties));
                } else {
                    body.properties.add(members.property());
                }
            } catch (TokenStream.Mistake noted) {
                skipToNextMember();
                // The member before may have swallowed the beginning of this one.
                doubtFrom(before);
                if (!isNamed) {
                    findings.doubtAll();
                }
            }
            before = first;
        }
        return body;
    }

    private void skipToNextMember() {
        if (in.at(TokenKind.AT) && !members.startsConstraint()) {
            in.advance();
            if (in.at(TokenKind.NAME) && !startsDeclaration()) {
                // It is the name of no property, whatever follows.
                in.advance();
            }
        }
        while (!in.at(TokenKind.END) && !in.at(TokenKind.RIGHT_BRACE) && !resumesAtDeclaration()) {
            boolean property = in.kind() == TokenKind.NAME && in.kind(1) == TokenKind.COLON;
            if (property || members.startsConstraint()) {
                return;
            }
            in.advance();
        }
    }
}
