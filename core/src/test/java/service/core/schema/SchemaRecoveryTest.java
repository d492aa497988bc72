package service.core.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import service.core.error.Diagnostic;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

/**
 * One mistake in a schema is told once: every token of a schema that names each of its types many times is left out,
 * replaced, doubled, or gets something before it. The findings are few, and the first one is at the place.
 */
final class SchemaRecoveryTest {
    private static final String SCHEMA = """
            interface Described { title: String @description("a title") since: Date? }
            interface Priced { price: F64? @index }
            node Package @description("a package") implements Described, Priced {
              name: String @key
              size: I64?
              section: enum(main, contrib, other)?
              tags: [String]?
              vector: Vector(3)?
              @index(section, size)
              @range(size, 0..1000000)
              @check(name, "[a-z]+")
            }
            node Person @instruction("a maintainer") {
              email: String
              age: I32 = 3
              joined: DateTime?
              @key(email)
              @unique(email, age)
            }
            node Tag { label: String @key }
            edge DependsOn: Package -> Package @card(0..9) @description("at run time") { alternative: I32? }
            edge Conflicts: Package -> Package
            edge Breaks: Package -> Package { version: String? @index }
            edge Suggests: Package -> Package @description("a hint")
            edge Provides: Package -> Tag @card(1..)
            edge HasTag: Package -> Tag { weight: F64? @unique(src, dst) }
            edge Maintains: Person -> Package
            edge Uploaded: Person -> Package { at: DateTime? }
            edge Knows: Person -> Person
            edge Likes: Person -> Tag
            edge Follows: Person -> Person { since: Date? }
            """.replace("I32 = 3", "I32 @default(3)");

    private static final Pattern TOKEN = Pattern.compile("\"[^\"]*\"|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|->|\\.\\.|\\S");

    /** Signs and characters that are none. */
    private static final List<String> SIGNS = List.of(
            "?", "}", "{", "(", ")", "[", "]", ":", "@", "->", "..", "-", ",", "=", ";", "#", "%", "7", "'", "\u0000");

    private static final List<String> WORDS = List.of("x", "X", "node", "edge", "interface", "implements", "enum");
    private static final int FINDINGS_MAX = 3;

    /** Where the first finding may be: so many tokens before and behind the mistake. */
    private static final int BEFORE = 3;

    private static final int BEHIND = 6;

    private record Span(int start, int end) {}

    private static List<Span> tokens() {
        List<Span> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(SCHEMA);
        while (matcher.find()) {
            tokens.add(new Span(matcher.start(), matcher.end()));
        }
        return tokens;
    }

    private static List<Diagnostic> findings(String source) {
        try {
            SchemaCompiler.compile(source);
            return List.of();
        } catch (ServiceException refusal) {
            return ((ErrorDetail.Diagnostics) refusal.detail()).diagnostics();
        }
    }

    private static int offset(String source, Diagnostic finding) {
        int at = 0;
        for (int line = 1; line < finding.line(); line++) {
            at = source.indexOf('\n', at) + 1;
        }
        return at + finding.column() - 1;
    }

    private final List<String> wrong = new ArrayList<>();
    private int broken;

    /** Replaces a part of the schema and looks at the findings. */
    private void check(List<Span> tokens, int token, int start, int end, String by, boolean knowsPlace) {
        String source = SCHEMA.substring(0, start) + by + SCHEMA.substring(end);
        List<Diagnostic> found = findings(source);
        if (found.isEmpty()) {
            return;
        }
        broken++;
        String shown = "`%s` by `%s` at %s\n%s".formatted(SCHEMA.substring(start, end), by, line(start), found);
        int first = offset(source, found.getFirst());
        int grown = by.length() - (end - start);
        boolean isAtPlace = !knowsPlace
                || (first >= tokens.get(Math.max(0, token - BEFORE)).start
                        && (token + BEHIND >= tokens.size()
                                || first <= tokens.get(token + BEHIND).end + Math.max(0, grown)));
        if (found.size() > FINDINGS_MAX || !isAtPlace) {
            wrong.add(shown);
        }
    }

    private static String line(int offset) {
        return SCHEMA.substring(SCHEMA.lastIndexOf('\n', offset) + 1, SCHEMA.indexOf('\n', offset));
    }

    @Test
    void theSchemaIsRight() {
        assertThat(findings(SCHEMA)).isEmpty();
    }

    @Test
    void oneMistakeIsToldOnceAndAtItsPlace() {
        List<Span> tokens = tokens();
        for (int i = 0; i < tokens.size(); i++) {
            Span token = tokens.get(i);
            String text = SCHEMA.substring(token.start, token.end);
            // A word that is missing may make the next one mean something else, which is right as it stands.
            check(tokens, i, token.start, token.end, "", true);
            check(tokens, i, token.start, token.end, text + " " + text, true);
            for (String sign : SIGNS) {
                check(tokens, i, token.start, token.end, sign, true);
                // A question mark behind a type is right, and its key or constraint is not any more.
                check(tokens, i, token.start, token.start, " " + sign + " ", !sign.equals("?"));
            }
            for (String word : WORDS) {
                check(tokens, i, token.start, token.end, word, false);
                check(tokens, i, token.start, token.start, " " + word + " ", false);
            }
            check(tokens, i, token.start, token.start, "\"", true);
            check(tokens, i, token.start, token.start, "/*", true);
        }
        assertThat(wrong.subList(0, Math.min(9, wrong.size())))
                .as("%d of %d", wrong.size(), broken)
                .isEmpty();
        assertThat(broken).isGreaterThan(5_000);
    }
}
