package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.gq.syntax.ClauseSyntax.EdgeName;
import service.core.gq.syntax.ClauseSyntax.Edges;
import service.core.gq.syntax.ClauseSyntax.Hops;
import service.core.gq.syntax.ClauseSyntax.VariableSyntax;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** Parses the edges of traversals and their bounds of hops. */
final class EdgeParser {
    private final TokenStream tokens;
    private final Literals literals;

    EdgeParser(TokenStream tokens, Literals literals) {
        this.tokens = tokens;
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
                tokens.expect(TokenKind.RIGHT_PAREN, "`|` or `)` after the edge");
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
        tokens.expect(TokenKind.COMMA, "`,` between the bounds of the hops");
        if (tokens.accept(TokenKind.STAR)) {
            max = Hops.ANY;
        } else if (!tokens.at(TokenKind.RIGHT_BRACE)) {
            max = hopBound("the greatest number of hops, or `*`");
        }
        tokens.expect(TokenKind.RIGHT_BRACE, "`}` after the bounds of the hops");
        return new Hops(min, max, tokens.spanFrom(start));
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
