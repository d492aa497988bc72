package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** An edge that is drawn as in other languages, {@code ($a)-[knows]->($b)}, for the hint how it is written. */
final class DrawnEdge {
    /** Tokens of a drawn edge that are read for a hint. */
    private static final int DRAWN_TOKENS_MAX = 20;

    private final TokenStream tokens;

    DrawnEdge(TokenStream tokens) {
        this.tokens = tokens;
    }

    /** Whether a node of another language, such as {@code ($a)} or {@code ($a:Person)}, with an edge begins there. */
    boolean isNode() {
        if (tokens.kind(0) != TokenKind.LEFT_PAREN || tokens.kind(1) != TokenKind.VARIABLE) {
            return false;
        }
        boolean typed = tokens.kind(2) == TokenKind.COLON;
        int end = typed ? 4 : 2;
        TokenKind after = tokens.kind(end + 1);
        return tokens.kind(end) == TokenKind.RIGHT_PAREN
                && (after == TokenKind.MINUS || after == TokenKind.LESS)
                && (tokens.kind(end + 2) == TokenKind.LEFT_BRACKET || tokens.kind(end + 2) == TokenKind.MINUS);
    }

    /** A drawn edge such as {@code ($a)-[knows]->($b)} as a clause: {@code $a knows $b}. */
    String spelledOut() {
        String left = tokens.tokenText(1);
        String edge = "knows";
        String right = "$other";
        String hops = "";
        boolean backwards = false;
        for (int i = 2; i < DRAWN_TOKENS_MAX && tokens.kind(i) != TokenKind.END; i++) {
            TokenKind kind = tokens.kind(i);
            backwards |= kind == TokenKind.LESS;
            hops = kind == TokenKind.STAR ? drawnHops(i + 1) : hops;
            if (kind == TokenKind.LEFT_BRACKET) {
                int name = tokens.kind(i + 1) == TokenKind.COLON ? i + 2 : i + 1;
                edge = tokens.kind(name) == TokenKind.NAME || tokens.kind(name) == TokenKind.TYPE
                        ? asEdge(tokens.tokenText(name))
                        : edge;
            } else if (kind == TokenKind.LEFT_PAREN && tokens.kind(i + 1) == TokenKind.VARIABLE) {
                right = tokens.tokenText(i + 1);
                break;
            }
        }
        return backwards ? right + " " + edge + hops + " " + left : left + " " + edge + hops + " " + right;
    }

    private static String asEdge(String name) {
        boolean shouted = name.equals(name.toUpperCase(Locale.ROOT));
        return name.substring(0, shouted ? name.length() : 1).toLowerCase(Locale.ROOT)
                + (shouted ? "" : name.substring(1));
    }

    /** Bounds of hops such as {@code *1..3} of another language: {@code {1,3}}. */
    private String drawnHops(int from) {
        List<String> bounds = new ArrayList<>();
        for (int i = from; i < from + 4 && tokens.kind(i) != TokenKind.RIGHT_BRACKET; i++) {
            if (tokens.kind(i) == TokenKind.INT) {
                bounds.add(tokens.tokenText(i));
            }
        }
        return bounds.isEmpty() ? "{1,*}" : "{" + bounds.getFirst() + "," + bounds.getLast() + "}";
    }
}
