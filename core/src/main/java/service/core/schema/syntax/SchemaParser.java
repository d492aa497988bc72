package service.core.schema.syntax;

import java.util.ArrayList;
import java.util.List;
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

/**
 * The parser of declarations and bodies: recursive descent over the grammar in {@code docs/schema.md}, one method a
 * rule.
 *
 * <p>After a mistake it goes on at the next thing that looks like the beginning of a property, a constraint or a
 * declaration, so that one pass finds several mistakes. Every loop consumes a token or ends; nothing nests deeper than
 * a list in an annotation, so the stack stays flat and time linear.
 */
public final class SchemaParser {
    static final String CODE = "PG-SY-001";

    /** Words that after {@code @} and before {@code (} begin a constraint of the body. */
    private static final Set<String> CONSTRAINTS = Set.of("key", "unique", "index", "range", "check");

    private static final Set<String> DECLARATIONS = Set.of("interface", "node", "edge");

    private final SchemaTokenStream in;
    private final ValueParser values;
    private final Problems problems;

    private SchemaParser(SchemaTokenStream in, Problems problems) {
        this.in = in;
        this.problems = problems;
        this.values = new ValueParser(in, problems);
    }

    /** Parses the whole source. What is wrong goes to {@code problems}; the tree holds what could be understood. */
    public static SyntaxTree parse(String source, Problems problems) {
        SchemaTokenStream in = new SchemaTokenStream(new SchemaLexer(source, problems).tokens());
        return new SchemaParser(in, problems).schema();
    }

    private SyntaxTree schema() {
        List<Declaration> declarations = new ArrayList<>();
        while (!in.atEnd() && !problems.isFull()) {
            try {
                declarations.add(declaration());
            } catch (Mistake mistake) {
                report(mistake);
                do {
                    in.next();
                } while (!in.atEnd() && !startsDeclaration());
            }
        }
        return new SyntaxTree(declarations);
    }

    private void report(Mistake mistake) {
        problems.add(CODE, mistake.token.start(), mistake.message, mistake.hint);
    }

    private boolean startsDeclaration() {
        return in.peek().kind() == Token.Kind.NAME
                && DECLARATIONS.contains(in.peek().text())
                && in.peek(1).kind() == Token.Kind.TYPE;
    }

    private Declaration declaration() {
        Token word = in.peek();
        if (word.kind() == Token.Kind.NAME) {
            switch (word.text()) {
                case "interface" -> {
                    in.next();
                    return interfaceDeclaration();
                }
                case "node" -> {
                    in.next();
                    return node();
                }
                case "edge" -> {
                    in.next();
                    return edge();
                }
                default -> {}
            }
        }
        throw new Mistake(
                word,
                "expected `interface`, `node` or `edge`, found " + word.described(),
                Suggestion.didYouMean(word.text(), DECLARATIONS));
    }

    private InterfaceNode interfaceDeclaration() {
        Name name = in.typeName("the interface's name");
        Body body = body("interface `" + name.text() + "`");
        for (ConstraintNode constraint : body.constraints) {
            problems.add(
                    CODE,
                    constraint.at(),
                    "interface `" + name.text() + "` cannot hold a constraint of its body",
                    "put it into the node types, or annotate the property");
        }
        return new InterfaceNode(name, body.properties);
    }

    private NodeNode node() {
        Name name = in.typeName("the node type's name");
        List<AnnotationNode> annotations = annotations();
        List<Name> interfaces = new ArrayList<>();
        if (in.takeWord("implements")) {
            do {
                interfaces.add(in.typeName("the name of an interface"));
            } while (in.take(","));
        }
        Body body = body("node `" + name.text() + "`");
        return new NodeNode(name, annotations, interfaces, body.properties, body.constraints);
    }

    private EdgeNode edge() {
        Name name = in.typeName("the edge type's name");
        in.expect(":", "after the edge's name, as in `edge Knows: Person -> Person`");
        Name source = in.typeName("the source node type");
        in.expect("->", "between the edge's ends, as in `edge Knows: Person -> Person`");
        Name destination = in.typeName("the destination node type");
        CardNode card = null;
        if (in.peek().is("@") && in.peek(1).text().equals("card")) {
            int at = in.next().start();
            in.next();
            in.expect("(", "after `@card`, as in `@card(0..1)`");
            Literal min = values.number("the least number of edges");
            in.expect("..", "between the bounds of `@card`, as in `@card(0..1)`");
            Literal max = in.peek().is(")") ? null : values.number("the greatest number of edges");
            in.expect(")", "after the bounds of `@card`");
            card = new CardNode(min, max, at);
        }
        List<AnnotationNode> annotations = annotations();
        Body body =
                in.peek().is("{") ? body("edge `" + name.text() + "`") : new Body(new ArrayList<>(), new ArrayList<>());
        return new EdgeNode(name, source, destination, card, annotations, body.properties, body.constraints);
    }

    private record Body(List<PropertyNode> properties, List<ConstraintNode> constraints) {}

    private Body body(String owner) {
        in.expect("{", "to open the body of " + owner);
        Body body = new Body(new ArrayList<>(), new ArrayList<>());
        while (!problems.isFull()) {
            if (in.take("}")) {
                return body;
            }
            if (in.atEnd() || (startsDeclaration() && !in.peek(1).is(":"))) {
                throw new Mistake(in.peek(), "the body of " + owner + " is never closed", "write `}` before this");
            }
            try {
                if (in.peek().is("@")) {
                    body.constraints.add(constraint());
                } else {
                    body.properties.add(property());
                }
            } catch (Mistake mistake) {
                report(mistake);
                skipToNextMember();
            }
        }
        return body;
    }

    private void skipToNextMember() {
        while (!in.atEnd() && !in.peek().is("}") && !startsDeclaration()) {
            boolean property = in.peek().kind() == Token.Kind.NAME && in.peek(1).is(":");
            if (property || startsConstraint()) {
                return;
            }
            in.next();
        }
    }

    private boolean startsConstraint() {
        return in.peek().is("@")
                && CONSTRAINTS.contains(in.peek(1).text())
                && in.peek(2).is("(");
    }

    private PropertyNode property() {
        Name name = in.name("a property, a constraint or `}`");
        in.expect(":", "between the property `" + name.text() + "` and its type");
        ValueParser.TypeReference reference = values.typeReference();
        return new PropertyNode(name, reference.type(), reference.nullable(), annotations());
    }

    private ConstraintNode constraint() {
        int at = in.peek().start();
        if (!startsConstraint()) {
            Token word = in.peek(1);
            Token at1 = in.next();
            String near = Suggestion.nearest(word.text(), CONSTRAINTS);
            throw new Mistake(
                    at1,
                    "`@" + Token.shortened(word.text()) + "` is not a constraint of a body",
                    CONSTRAINTS.contains(word.text())
                            ? "name its members in parentheses, as in `@unique(name)`"
                            : near == null
                                    ? "a body may hold @key(…), @unique(…), @index(…), @range(…), @check(…)"
                                    : "did you mean `@" + near + "`?");
        }
        in.next();
        String word = in.next().text();
        in.next();
        return switch (word) {
            case "range" -> {
                Name property = in.name("the property that `@range` bounds");
                in.expect(",", "after the property of `@range`, as in `@range(age, 0..150)`");
                Literal min = in.peek().is("..") ? null : values.bound();
                in.expect("..", "between the bounds of `@range`, as in `@range(age, 0..150)`");
                Literal max = in.peek().is(")") ? null : values.bound();
                in.expect(")", "after the bounds of `@range`");
                yield new ConstraintNode.Range(property, min, max, at);
            }
            case "check" -> {
                Name property = in.name("the property that `@check` tests");
                in.expect(",", "after the property of `@check`, as in `@check(email, \".+@.+\")`");
                Literal pattern = values.string("the regular expression of `@check`");
                in.expect(")", "after the regular expression of `@check`");
                yield new ConstraintNode.Check(property, pattern, at);
            }
            default -> {
                List<Name> members = new ArrayList<>();
                do {
                    members.add(in.name("a property that `@" + word + "` names"));
                } while (in.take(","));
                in.expect(")", "after the members of `@" + word + "`");
                yield new ConstraintNode.Members(word, members, at);
            }
        };
    }

    /** The annotations from here; one of {@link #CONSTRAINTS} before a parenthesis belongs to the body instead. */
    private List<AnnotationNode> annotations() {
        List<AnnotationNode> annotations = new ArrayList<>();
        while (in.peek().is("@") && !startsConstraint()) {
            in.next();
            Name name = in.name("the annotation's name after `@`");
            Literal argument = null;
            List<NamedArgument> named = new ArrayList<>();
            if (in.take("(")) {
                argument = values.literal("the argument of `@" + name.text() + "`");
                while (in.take(",")) {
                    Name key = in.name("the name of a further argument, as in `@" + name.text() + "(…, name = 1)`");
                    in.expect("=", "between the argument `" + key.text() + "` and its value");
                    named.add(new NamedArgument(key, values.literal("the value of `" + key.text() + "`")));
                }
                in.expect(")", "after the arguments of `@" + name.text() + "`");
            }
            annotations.add(new AnnotationNode(name, argument, named));
        }
        return annotations;
    }

    /** What ends the parsing of one member or declaration; caught where parsing can go on. */
    static final class Mistake extends RuntimeException {
        final transient Token token;
        final String message;
        final @Nullable String hint;

        Mistake(Token token, String message, @Nullable String hint) {
            super(message, null, false, false);
            this.token = token;
            this.message = message;
            this.hint = hint;
        }
    }
}
