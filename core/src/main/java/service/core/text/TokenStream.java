package service.core.text;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The position of a parser in the tokens of its source. A mistake is noted in the findings and thrown as
 * {@link Mistake}; the rules that parse lists catch it and continue at the next item, so that one run reports several
 * mistakes. Not safe between threads.
 */
public final class TokenStream {
    private static final int SHOWN_MAX = 40;

    /** Unwinds to the nearest rule that can continue. The mistake is in the findings already. */
    public static final class Mistake extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final boolean last;

        private Mistake(boolean last) {
            super(null, null, false, false);
            this.last = last;
        }
    }

    private final Language language;
    private final String text;
    private final Lexer tokens;
    private final Findings findings;
    private final Work work;
    private int at;

    /** The first token of a text whose tokens are not counted. */
    public TokenStream(Language language, String text, Findings findings) {
        this(language, text, findings, Work.UNCOUNTED);
    }

    /** The first token of a text. */
    public TokenStream(Language language, String text, Findings findings, Work work) {
        this.language = language;
        this.text = text;
        this.tokens = new Lexer(language, text);
        this.findings = findings;
        this.work = work;
    }

    public TokenKind kind() {
        return tokens.kind(at);
    }

    /** The kind of the token so many places ahead. */
    public TokenKind kind(int ahead) {
        return tokens.kind(at + ahead);
    }

    public boolean at(TokenKind kind) {
        return kind() == kind;
    }

    /** Whether the current token is that word. */
    public boolean atWord(String word) {
        return wordAhead(0, word);
    }

    public boolean wordAhead(int ahead, String word) {
        int start = tokens.start(at + ahead);
        return kind(ahead) == TokenKind.NAME
                && tokens.end(at + ahead) - start == word.length()
                && text.startsWith(word, start);
    }

    public boolean firstOnLine() {
        return firstOnLine(0);
    }

    /** Whether the token that many places ahead is the first one of its line. */
    public boolean firstOnLine(int ahead) {
        return tokens.firstOnLine(at + ahead);
    }

    /** Whether the token before the current one is of that kind. */
    public boolean follows(TokenKind kind) {
        return at > 0 && tokens.kind(at - 1) == kind;
    }

    public Span span() {
        return new Span(tokens.start(at), tokens.end(at));
    }

    /** From the start of that span to the end of the token before the current one. */
    public Span spanFrom(Span first) {
        return new Span(first.start(), Math.max(first.end(), at == 0 ? 0 : tokens.end(at - 1)));
    }

    public String tokenText() {
        return tokenText(0);
    }

    /** The source text of the token so many places ahead. */
    public String tokenText(int ahead) {
        return text.substring(tokens.start(at + ahead), tokens.end(at + ahead));
    }

    public String text() {
        return text;
    }

    /** All tokens of the source. */
    public Lexer tokens() {
        return tokens;
    }

    public void advance() {
        work.step();
        at++;
    }

    public boolean accept(TokenKind kind) {
        if (at(kind)) {
            advance();
            return true;
        }
        return false;
    }

    public boolean acceptWord(String word) {
        if (atWord(word)) {
            advance();
            return true;
        }
        return false;
    }

    /** Takes a token of that kind and gives its text. */
    public String expect(TokenKind kind, String what) {
        if (!at(kind)) {
            throw expected(what, null);
        }
        String found = tokenText();
        advance();
        return found;
    }

    public void expectWord(String word, String where) {
        if (!acceptWord(word)) {
            throw expected("`" + word + "` " + where, null);
        }
    }

    /** Takes that sign; {@code where} completes the sentence "expected `(` …". */
    public void expectSign(TokenKind sign, String where) {
        if (!accept(sign)) {
            throw expected("`" + sign.sign() + "` " + where, null);
        }
    }

    /** The mistake that the current token is not {@code what}. */
    public Mistake expected(String what, @Nullable String hint) {
        return fail(span(), "expected " + what + ", found " + found(), hint);
    }

    public Mistake fail(Span span, String message, @Nullable String hint) {
        if (at(TokenKind.ERROR) && span.start() == tokens.start(at)) {
            noteToken(span.start(), language.explain(text, span.start()), language.remedy(text, span.start()));
        } else {
            note(span.start(), message, hint);
        }
        return new Mistake(at(TokenKind.END) || findings.isFull());
    }

    /** A mistake that ends the parsing, such as a limit that was passed. */
    public Mistake stop(Span span, String message, @Nullable String hint) {
        note(span.start(), message, hint);
        return new Mistake(true);
    }

    /** Notes a mistake that needs no recovery. */
    public void note(int offset, String message, @Nullable String hint) {
        findings.add(language.syntaxCode(), offset, message, hint);
    }

    /** Notes a mistake within a token. */
    public void noteToken(int offset, String message, @Nullable String hint) {
        findings.add(language.tokenCode(), offset, message, hint);
    }

    /** Notes a finding of another code. */
    public void note(int offset, String code, String message, @Nullable String hint) {
        findings.add(code, offset, message, hint);
    }

    /** Rethrows a mistake that ends the parsing; after any other the caller continues. */
    public void recover(Mistake mistake) {
        if (mistake.last) {
            throw mistake;
        }
    }

    /**
     * Skips to the next place where an item of a list in braces may begin: after a comma at this depth, at the first
     * token of a line at this depth, or at the closing brace. Always moves past the token of the mistake.
     */
    public void skipItem(int itemStart, boolean commas) {
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

    public int index() {
        return at;
    }

    /** Takes a bare word of the given characters, of one token or several; null if there is none. */
    @Nullable
    public String rawWord(IntPredicate member) {
        int start = tokens.start(at);
        int end = start;
        while (end < text.length() && member.test(text.charAt(end))) {
            end++;
        }
        if (end == start) {
            return null;
        }
        int next = at;
        while (tokens.kind(next) != TokenKind.END && tokens.start(next) < end) {
            next++;
        }
        if (tokens.end(next - 1) > end) {
            return null;
        }
        at = next;
        return text.substring(start, end);
    }

    /** Takes a string and decodes its escapes. */
    public String string(String what) {
        if (!at(TokenKind.STRING)) {
            throw expected(what, null);
        }
        int start = tokens.start(at);
        int end = tokens.end(at) - 1;
        advance();
        StringBuilder decoded = new StringBuilder(end - start);
        int i = start + 1;
        while (i < end) {
            char c = text.charAt(i++);
            if (c != '\\') {
                decoded.append(c);
                continue;
            }
            char escape = text.charAt(i++);
            switch (escape) {
                case '"', '\\' -> decoded.append(escape);
                case 'n' -> decoded.append('\n');
                case 'r' -> decoded.append('\r');
                case 't' -> decoded.append('\t');
                case 'u' -> {
                    int unit = hexadecimal(i, end);
                    if (unit < 0) {
                        noteToken(i - 2, "`\\u` takes four hexadecimal digits", "such as \\u00e9");
                    } else {
                        decoded.append((char) unit);
                        i += 4;
                    }
                }
                default ->
                    noteToken(
                            i - 2,
                            "`\\" + escape + "` is not an escape",
                            "the escapes are \\\" \\\\ \\n \\r \\t \\uXXXX; a backslash itself is written `\\\\`, as in `\\\\"
                                    + escape + "`");
            }
        }
        if (hasLoneSurrogate(decoded)) {
            noteToken(start, "the string holds half of a surrogate pair", "write both halves, or the character itself");
        }
        return decoded.toString();
    }

    /** The number that four hexadecimal digits mean; -1 if there are not four. */
    private int hexadecimal(int start, int end) {
        int number = 0;
        for (int i = start; i < start + 4; i++) {
            int digit = i < end && text.charAt(i) <= 'f' ? Character.digit(text.charAt(i), 16) : -1;
            if (digit < 0) {
                return -1;
            }
            number = number * 16 + digit;
        }
        return number;
    }

    private static boolean hasLoneSurrogate(CharSequence text) {
        return text.codePoints()
                .anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    private String found() {
        return at(TokenKind.END) ? "the end of the source" : "`" + shortened(tokenText()) + "`";
    }

    /** A text as messages show it, cut after 40 UTF-16 units. */
    public static String shortened(String text) {
        if (text.length() <= SHOWN_MAX) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(SHOWN_MAX - 1)) ? SHOWN_MAX - 1 : SHOWN_MAX;
        return text.substring(0, end) + "…";
    }

    private static int depthOf(TokenKind kind) {
        return switch (kind) {
            case LEFT_BRACE, LEFT_PAREN, LEFT_BRACKET -> 1;
            case RIGHT_BRACE, RIGHT_PAREN, RIGHT_BRACKET -> -1;
            default -> 0;
        };
    }
}
