package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;

/**
 * The parser's place in the tokens, and what it has found wrong so far. A mistake is noted and thrown as
 * {@link Mistake}; the rules that hold lists catch it and go on at the next item, so that one run reports several
 * mistakes. {@link #FINDINGS_MAX} mistakes, or one at the end of the source, end the run.
 */
final class TokenStream {
    static final int FINDINGS_MAX = 20;

    /** Unwinds to the nearest rule that can go on. Already noted. */
    static final class Mistake extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final boolean last;

        private Mistake(boolean last) {
            super(null, null, false, false);
            this.last = last;
        }
    }

    private final SourceText source;
    private final String text;
    private final Lexer tokens;
    private final List<Diagnostic> findings = new ArrayList<>();
    private int at;

    TokenStream(SourceText source) {
        this.source = source;
        this.text = source.text();
        this.tokens = new Lexer(text);
    }

    List<Diagnostic> findings() {
        return findings;
    }

    TokenKind kind() {
        return tokens.kind(at);
    }

    /** The kind of the token so many places ahead. */
    TokenKind kind(int ahead) {
        return tokens.kind(at + ahead);
    }

    boolean at(TokenKind kind) {
        return kind() == kind;
    }

    /** Whether the current token is that word. */
    boolean atWord(String word) {
        return wordAhead(0, word);
    }

    boolean wordAhead(int ahead, String word) {
        int start = tokens.start(at + ahead);
        return kind(ahead) == TokenKind.NAME
                && tokens.end(at + ahead) - start == word.length()
                && text.startsWith(word, start);
    }

    boolean firstOnLine() {
        return tokens.firstOnLine(at);
    }

    Span span() {
        return new Span(tokens.start(at), tokens.end(at));
    }

    /** From the start of that span to the end of the token before the current one. */
    Span spanFrom(Span first) {
        return new Span(first.start(), Math.max(first.end(), at == 0 ? 0 : tokens.end(at - 1)));
    }

    String tokenText() {
        return text.substring(tokens.start(at), tokens.end(at));
    }

    String text() {
        return text;
    }

    /** The source text of a span, named as the language names columns. */
    String column(Span span) {
        return ColumnName.of(span, tokens, text);
    }

    void advance() {
        at++;
    }

    boolean accept(TokenKind kind) {
        if (at(kind)) {
            at++;
            return true;
        }
        return false;
    }

    boolean acceptWord(String word) {
        if (atWord(word)) {
            at++;
            return true;
        }
        return false;
    }

    /** Takes a token of that kind and gives its text. */
    String expect(TokenKind kind, String what) {
        if (!at(kind)) {
            throw expected(what, null);
        }
        String found = tokenText();
        at++;
        return found;
    }

    void expectWord(String word, String where) {
        if (!acceptWord(word)) {
            throw expected("`" + word + "` " + where, null);
        }
    }

    /** The mistake that something else stands where {@code what} belongs. */
    Mistake expected(String what, @Nullable String hint) {
        return fail(span(), "expected " + what + ", found " + found(), hint);
    }

    Mistake fail(Span span, String message, @Nullable String hint) {
        if (at(TokenKind.ERROR) && span.start() == tokens.start(at)) {
            note(span.start(), Lexer.explain(text, span.start()), Lexer.remedy(text, span.start()));
        } else {
            note(span.start(), message, hint);
        }
        return new Mistake(at(TokenKind.END) || findings.size() >= FINDINGS_MAX);
    }

    /** A mistake after which nothing more is worth reading: a limit was passed. */
    Mistake stop(Span span, String message, @Nullable String hint) {
        note(span.start(), message, hint);
        return new Mistake(true);
    }

    /** Notes a mistake that needs no recovery. */
    void note(int offset, String message, @Nullable String hint) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(source.at(offset, "Q000", message, hint));
        }
    }

    /** Notes a finding of another code; the parser knows some that need no schema. */
    void note(int offset, String code, String message, @Nullable String hint) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(source.at(offset, code, message, hint));
        }
    }

    /** Goes on after a mistake, unless it was the last one. */
    void recover(Mistake mistake) {
        if (mistake.last) {
            throw mistake;
        }
    }

    /**
     * Skips to where a new item of a list in braces may begin: behind a comma at this depth, at the first token of a
     * line at this depth, or at the closing brace. Always moves past the token of the mistake.
     */
    void skipItem(int itemStart, boolean commas) {
        int depth = 0;
        if (at == itemStart) {
            depth += depthOf(kind());
            at++;
        }
        while (!at(TokenKind.END)) {
            if (depth <= 0 && (at(TokenKind.RIGHT_BRACE) || firstOnLine())) {
                return;
            }
            if (depth <= 0 && commas && accept(TokenKind.COMMA)) {
                return;
            }
            depth += depthOf(kind());
            at++;
        }
    }

    /** Skips to the next token that looks like the start of a query. */
    void skipToQuery() {
        while (!at(TokenKind.END)
                && !(atWord("query") && kind(1) == TokenKind.NAME && kind(2) == TokenKind.LEFT_PAREN)) {
            at++;
        }
    }

    int index() {
        return at;
    }

    /** Takes a bare word of the given characters, which need not be one token, or null. */
    @Nullable
    String rawWord(IntPredicate member) {
        int start = tokens.start(at);
        int end = start;
        while (end < text.length() && member.test(text.charAt(end))) {
            end++;
        }
        if (end == start) {
            return null;
        }
        while (!at(TokenKind.END) && tokens.start(at) < end) {
            at++;
        }
        return text.substring(start, end);
    }

    private String found() {
        if (at(TokenKind.END)) {
            return TokenKind.END.words;
        }
        String token = tokenText();
        return token.length() > 40 ? "`" + token.substring(0, 40) + "…`" : "`" + token + "`";
    }

    private static int depthOf(TokenKind kind) {
        return switch (kind) {
            case LEFT_BRACE, LEFT_PAREN, LEFT_BRACKET -> 1;
            case RIGHT_BRACE, RIGHT_PAREN, RIGHT_BRACKET -> -1;
            default -> 0;
        };
    }
}
