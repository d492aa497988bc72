package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Walk;
import service.core.gq.syntax.ClauseSyntax.EdgeName;
import service.core.gq.syntax.ClauseSyntax.Edges;
import service.core.gq.syntax.ClauseSyntax.Hops;
import service.core.gq.syntax.ClauseSyntax.Mode;
import service.core.gq.syntax.ClauseSyntax.Step;
import service.core.gq.syntax.ClauseSyntax.VariableSyntax;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** Parses the edges of traversals and their bounds of hops. */
final class EdgeParser {
    private static final String STEP = "such as `{1,6 | $x $e $y where $e.open by $e.km}`";

    private static final Map<String, Walk.Mode> MODES = Map.of(
            "shortest", Walk.Mode.SHORTEST,
            "trail", Walk.Mode.TRAIL,
            "acyclic", Walk.Mode.ACYCLIC,
            "cheapest", Walk.Mode.CHEAPEST);

    private final TokenStream tokens;
    private final ExpressionParser expressions;
    private final Literals literals;

    EdgeParser(TokenStream tokens, ExpressionParser expressions, Literals literals) {
        this.tokens = tokens;
        this.expressions = expressions;
        this.literals = literals;
    }

    /** The edge types of a traversal from a variable. */
    Edges edges(VariableSyntax left) {
        Span start = tokens.span();
        List<EdgeName> names = new ArrayList<>();
        return switch (tokens.kind()) {
            case STAR -> {
                tokens.advance();
                yield new Edges(false, List.of(), start);
            }
            case LESS -> {
                tokens.advance();
                if (!tokens.accept(TokenKind.STAR)) {
                    edgeNames(names);
                }
                tokens.expect(TokenKind.GREATER, "`>` after the edges");
                yield new Edges(true, List.copyOf(names), tokens.spanFrom(start));
            }
            case LEFT_PAREN -> {
                tokens.advance();
                edgeNames(names);
                if (!tokens.accept(TokenKind.RIGHT_PAREN)) {
                    throw tokens.expected(
                            "`|` or `)` after the edge", "edges are alternatives: `$a (knows | likes) $b`");
                }
                yield new Edges(false, List.copyOf(names), tokens.spanFrom(start));
            }
            default -> {
                names.add(edgeName(left));
                yield new Edges(false, List.copyOf(names), tokens.spanFrom(start));
            }
        };
    }

    private void edgeNames(List<EdgeName> names) {
        do {
            names.add(edgeName(null));
        } while (tokens.accept(TokenKind.BAR));
    }

    private EdgeName edgeName(@Nullable VariableSyntax left) {
        Span span = tokens.span();
        if (tokens.at(TokenKind.TYPE)) {
            String written = tokens.tokenText();
            if (written.equals("IS") && tokens.kind(1) == TokenKind.TYPE) {
                throw tokens.expected("an edge", "a type is bound by `:`, as in `$x: " + tokens.tokenText(1) + "`");
            }
            throw tokens.expected(
                    "an edge",
                    "in a traversal edge names start in lower case: `"
                            + written.substring(0, 1).toLowerCase(Locale.ROOT)
                            + written.substring(1)
                            + "`");
        }
        if (!tokens.at(TokenKind.NAME)) {
            String name = left == null || left.name() == null ? "$_" : "$" + left.name();
            throw tokens.expected(
                    left == null ? "an edge" : "`:`, `.` or an edge after `" + name + "`",
                    left == null
                            ? null
                            : tokens.at(TokenKind.MINUS)
                                    ? "an edge is its name alone: `" + name + " knows $other`"
                                    : "write `"
                                            + name
                                            + ": Type` to bind it, `"
                                            + name
                                            + " knows $other` to follow an edge; a value that comes from outside is declared as"
                                            + " a parameter");
        }
        String name = tokens.tokenText();
        tokens.advance();
        return new EdgeName(name, span);
    }

    /** The word before the edges that says which paths there are; null where there is none. */
    @Nullable
    Mode mode() {
        Span start = tokens.span();
        boolean isAll = tokens.atWord("all") && tokens.wordAhead(1, "shortest") && isEdgeAhead(2);
        if (!isAll && !isEdgeAhead(1)) {
            return null;
        }
        Walk.Mode mode = isAll ? Walk.Mode.ALL_SHORTEST : MODES.get(tokens.tokenText());
        if (mode == null) {
            return null;
        }
        tokens.advance();
        if (isAll) {
            tokens.advance();
        }
        return new Mode(mode, tokens.spanFrom(start));
    }

    private boolean isEdgeAhead(int ahead) {
        return tokens.at(TokenKind.NAME)
                && switch (tokens.kind(ahead)) {
                    case NAME, TYPE, LEFT_PAREN, LESS, STAR -> true;
                    default -> false;
                };
    }

    /** {@code | $x $e $y where … by …}. */
    private @Nullable Step step() {
        Span start = tokens.span();
        if (!tokens.accept(TokenKind.BAR)) {
            return null;
        }
        if (!isVariable(0) || !isVariable(1) || !isVariable(2)) {
            return unnamed();
        }
        VariableSyntax source = stepVariable();
        VariableSyntax edge = stepVariable();
        VariableSyntax destination = stepVariable();
        ExpressionSyntax where = null;
        ExpressionSyntax by = null;
        if (tokens.atWord("where")) {
            tokens.advance();
            where = expressions.expression();
        }
        if (tokens.atWord("by")) {
            tokens.advance();
            by = expressions.expression();
            if (tokens.atWord("where")) {
                throw tokens.expected("`}` after the cost of a step", "`where` stands before `by`: " + STEP);
            }
        }
        if (where == null && by == null && !tokens.at(TokenKind.RIGHT_BRACE)) {
            throw tokens.expected("`where` or `by` after the variables of a step", STEP);
        }
        return new Step(source, edge, destination, where, by, tokens.spanFrom(start));
    }

    private boolean isVariable(int ahead) {
        return tokens.kind(ahead) == TokenKind.VARIABLE || tokens.kind(ahead) == TokenKind.ANONYMOUS;
    }

    /** Takes note of a step whose three variables are not all named, and passes over it. */
    private @Nullable Step unnamed() {
        tokens.note(
                tokens.span().start(), "a step has three variables: its source, its edge and its destination", STEP);
        while (!tokens.at(TokenKind.RIGHT_BRACE) && !tokens.at(TokenKind.END)) {
            tokens.advance();
        }
        return null;
    }

    private VariableSyntax stepVariable() {
        Span span = tokens.span();
        String name = tokens.at(TokenKind.ANONYMOUS) ? null : tokens.tokenText().substring(1);
        tokens.advance();
        return new VariableSyntax(name, span);
    }

    /** The bounds of hops in braces. */
    Hops hops() {
        Span start = tokens.span();
        tokens.advance();
        int min = hopBound("the least number of hops");
        int max = Hops.MISSING;
        if (tokens.at(TokenKind.RIGHT_BRACE)) {
            throw tokens.expected(
                    "`,` and the greatest number of hops",
                    "exactly " + min + " hops are written `{" + min + "," + min + "}`");
        }
        if (tokens.at(TokenKind.RANGE)) {
            throw tokens.expected("`,` between the bounds of the hops", "such as `{1,3}`, or `{1,*}` for any number");
        }
        tokens.expect(TokenKind.COMMA, "`,` between the bounds of the hops");
        if (tokens.accept(TokenKind.STAR)) {
            max = Hops.ANY;
        } else if (!tokens.at(TokenKind.RIGHT_BRACE)) {
            max = hopBound("the greatest number of hops, or `*`");
        }
        Step step = step();
        tokens.expect(TokenKind.RIGHT_BRACE, "`}` after the bounds of the hops");
        return new Hops(min, max, step, tokens.spanFrom(start));
    }

    /** Takes a number of hops of any size; the checker refuses numbers that are too large. */
    private int hopBound(String what) {
        return tokens.at(TokenKind.INT) && tokens.tokenText().length() > 9 ? tooMany() : literals.smallInteger(what);
    }

    private int tooMany() {
        tokens.advance();
        return Hops.TOO_MANY;
    }
}
