package service.core.text;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.value.VisibleText;

/** The tokens of a language and the codes of its findings. Immutable; safe between threads. */
public final class Language {
    private static final TokenKind[] NONE = {};

    private final TokenKind[][] signs = new TokenKind[128][];
    private final Set<TokenKind> kinds;
    private final Map<Character, String> remedies;
    private final String tokenCode;
    private final String syntaxCode;

    /**
     * A language. Names, type names, strings, numbers and comments are the same in every language.
     *
     * @param kinds its signs, and VARIABLE, ANONYMOUS and AT_NAME if it has them
     * @param remedies what to write instead of a character that no token starts with
     * @param tokenCode the code of a finding within a token
     * @param syntaxCode the code of a finding about the order of tokens
     */
    public Language(Set<TokenKind> kinds, Map<Character, String> remedies, String tokenCode, String syntaxCode) {
        this.kinds = kinds;
        this.remedies = remedies;
        this.tokenCode = tokenCode;
        this.syntaxCode = syntaxCode;
        for (int i = 0; i < signs.length; i++) {
            char first = (char) i;
            signs[i] = kinds.stream()
                    .filter(kind -> kind.sign != null && kind.sign.charAt(0) == first)
                    .sorted(Comparator.comparingInt(
                            (TokenKind kind) -> -kind.sign().length()))
                    .toArray(TokenKind[]::new);
        }
    }

    /** A source laid out, with the same tokens and comments; as it is where a part of it is no token. */
    public String format(String text) {
        return SourceFormat.of(this, text);
    }

    String tokenCode() {
        return tokenCode;
    }

    String syntaxCode() {
        return syntaxCode;
    }

    boolean has(TokenKind kind) {
        return kinds.contains(kind);
    }

    /** The signs that begin with that character, the longest first. */
    TokenKind[] signs(char first) {
        return first < signs.length ? signs[first] : NONE;
    }

    /** Why there is no token at that offset. */
    String explain(String text, int start) {
        char first = text.charAt(start);
        if (first == '"') {
            return "the string is not closed on its line";
        }
        if (text.startsWith("/*", start)) {
            return "the comment is not closed";
        }
        if ((first == '$' && has(TokenKind.VARIABLE)) || (first == '@' && has(TokenKind.AT_NAME))) {
            return "`" + first + "` without a name";
        }
        int point = text.codePointAt(start);
        return VisibleText.isHidden(first) || (Character.isSurrogate(first) && point == first)
                ? String.format("the character U+%04X has no meaning here", point)
                : "the character `" + Character.toString(point) + "` has no meaning here";
    }

    /** What to write instead of the text at an offset that is no token, or null. */
    @Nullable
    String remedy(String text, int start) {
        char first = text.charAt(start);
        String remedy = remedies.get(first);
        if (remedy != null) {
            return remedy;
        }
        return switch (first) {
            case '"' -> "end it with `\"`; a line break within a string is written `\\n`";
            case '\'', '`', '\u201c', '\u201d' -> "strings are written in double quotes: \"…\"";
            case '#' -> "comments are written `// …` or `/* … */`";
            case '/' -> text.startsWith("/*", start) ? "end it with `*/`" : null;
            default -> null;
        };
    }
}
