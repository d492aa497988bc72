package service.cli.shell;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides whether an input is complete; the shell asks for further lines until it is. Braces within strings and
 * comments do not count.
 */
final class InputShape {
    private static final Set<String> BARE_WORDS =
            Set.of("match", "with", "return", "insert", "update", "delete", "for");
    private static final Set<String> WRITES = Set.of("insert", "update", "delete");
    private static final Set<String> EXPLAIN = Set.of("explain", "analyze");

    private static final Pattern CONTINUATION = Pattern.compile("^\\s*(order|skip|limit)\\b");
    private static final Pattern END = Pattern.compile("(exit|quit|\\\\q);?");

    private final String text;
    private int depth;
    private boolean hopeless;
    private boolean worded;
    private boolean openComment;
    private boolean closedBlock;
    private boolean returning;
    private boolean answered;
    private boolean conditioned;

    /** Whether a statement after a match is complete. */
    private boolean written;

    /** The word with which the last statement begins. */
    private String statement = "";

    private boolean bare;
    private int bodyAt = -1;
    private String firstWord = "";

    private InputShape(String text) {
        this.text = text;
        scan();
    }

    /**
     * Whether the input is complete: all braces are closed and every clause that the first word requires is there. An
     * empty line completes any input. So does a text that no further line can make valid: one that begins with a
     * character that no input begins with, such as {@code ?}, or with a closing brace. The next line then begins
     * another input.
     */
    static boolean isWhole(String text) {
        String stripped = text.strip();
        if (stripped.isEmpty() || stripped.startsWith(":") || isEnd(stripped) || endsWithEmptyLine(text)) {
            return true;
        }
        InputShape shape = new InputShape(text);
        if (shape.hopeless) {
            return true;
        }
        if (shape.openComment || shape.depth > 0) {
            return false;
        }
        return switch (shape.firstWord) {
            case "" -> false;
            case "query", "insert", "for" -> shape.closedBlock;
            case "explain" -> shape.bare ? shape.answered || shape.written : shape.closedBlock;
            case "match", "with", "return" -> shape.returning ? shape.answered : shape.written;
            case "update", "delete" -> shape.conditioned;
            default -> true;
        };
    }

    /**
     * Whether the text is a whole read without a name that a further line may order or limit. One that ends with a
     * semicolon or an empty line is finished.
     */
    static boolean mayContinue(String text) {
        String stripped = text.strip();
        return !stripped.isEmpty()
                && !stripped.endsWith(";")
                && !endsWithEmptyLine(text)
                && bareBody(text) >= 0
                && new InputShape(text).returning
                && isWhole(text);
    }

    /** Whether a line continues a read. */
    static boolean continues(String line) {
        return line.isBlank() || CONTINUATION.matcher(line).find();
    }

    /** Whether the input ends the shell, as people type it in other shells. */
    static boolean isEnd(String text) {
        return END.matcher(text.strip()).matches();
    }

    /**
     * The index of the body of a query without a name, or −1. Such a body begins with {@code match}, {@code with},
     * {@code return} or a word that writes, and a read also with {@code explain} before it.
     */
    static int bareBody(String text) {
        InputShape shape = new InputShape(text);
        return shape.bare ? shape.bodyAt : -1;
    }

    /** Whether the text holds only white space, whole comments and semicolons. */
    static boolean isNothing(String text) {
        InputShape shape = new InputShape(text);
        return !shape.openComment && !shape.hopeless && !shape.worded;
    }

    private static boolean endsWithEmptyLine(String text) {
        int last = text.lastIndexOf('\n');
        return last >= 0 && text.substring(last).isBlank() && !text.isBlank();
    }

    private void scan() {
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (text.startsWith("//", i)) {
                i = end(text.indexOf('\n', i));
            } else if (text.startsWith("/*", i)) {
                int close = text.indexOf("*/", i + 2);
                openComment = close < 0;
                i = close < 0 ? text.length() : close + 2;
            } else if (c == '"') {
                hopeless |= firstWord.isEmpty();
                i = afterString(i);
            } else if (Character.isLetter(c) || c == '$' || c == '_') {
                i = word(i);
            } else {
                hopeless |= firstWord.isEmpty() && c != ';' && !Character.isWhitespace(c);
                bracket(c);
                if (c == ';' && depth == 0 && isSetting()) {
                    firstWord = "";
                }
                i++;
            }
        }
    }

    private boolean isSetting() {
        return firstWord.equals("set") || firstWord.equals("reset");
    }

    private void bracket(char c) {
        if (c == '{' || c == '(' || c == '[') {
            depth++;
        } else if (c == '}' || c == ')' || c == ']') {
            depth--;
            hopeless |= depth < 0;
            if (c == '}' && depth == 0) {
                closedBlock = true;
                answered |= returning;
                written |= statement.equals("insert") || statement.equals("update");
            }
        }
    }

    private int word(int start) {
        int i = start + 1;
        while (i < text.length() && (Character.isLetterOrDigit(text.charAt(i)) || text.charAt(i) == '_')) {
            i++;
        }
        String word = text.substring(start, i);
        worded = true;
        if (firstWord.isEmpty()) {
            firstWord = word;
        }
        if (bodyAt < 0 && !EXPLAIN.contains(word) && !isSetting()) {
            bodyAt = start;
            bare = BARE_WORDS.contains(word);
        }
        if (depth == 0 && WRITES.contains(word)) {
            statement = word;
        }
        written |= depth == 0 && statement.equals("delete") && word.startsWith("$");
        if (depth == 0 && word.equals("return")) {
            returning = true;
        }
        if (depth == 0 && word.equals("where")) {
            conditioned = !text.substring(i).isBlank();
        }
        return i;
    }

    private int afterString(int start) {
        int i = start + 1;
        while (i < text.length() && text.charAt(i) != '"' && text.charAt(i) != '\n') {
            i += text.charAt(i) == '\\' ? 2 : 1;
        }
        return Math.min(i + 1, text.length());
    }

    private int end(int found) {
        return found < 0 ? text.length() : found;
    }
}
