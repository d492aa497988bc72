package service.core.gq.syntax;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.error.Suggestion;
import service.core.gq.syntax.GqFile.Setting;
import service.core.gq.syntax.GqFile.StatementSyntax;
import service.core.schema.Annotation;
import service.core.text.Findings;
import service.core.text.Language;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;
import service.core.text.Work;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * Parses a GQ source: settings, queries, statements. Recursive descent, in time linear in the source, with bounded
 * depth. A query has at most {@link #PARAMETERS_MAX} parameters. One parser reads one source on one thread.
 */
public final class GqParser {
    /** The words with which a literal begins. */
    private static final Set<String> LITERAL_WORDS = Set.of("true", "false", "null", "date", "datetime", "vector");

    private static final List<String> READ_ORDER =
            List.of("match", "with", "return", "where", "union", "order", "skip", "limit");

    private static final List<String> BEGINNINGS = List.of(
            "query", "match", "insert", "update", "delete", "for", "explain", "branch", "commit", "show", "set",
            "reset");

    /** Parameters of a query. */
    private static final int PARAMETERS_MAX = 1000;

    private static final int FINDINGS_MAX = 20;

    private static final Language GQ = new Language(
            EnumSet.complementOf(EnumSet.of(TokenKind.ARROW, TokenKind.AT)),
            Map.of(
                    '$', "variables and parameters are written `$name`, anonymous nodes `$_`",
                    '&', "write `and`",
                    '^', "write `power(2, 3)`",
                    '~', "write `matches \"…\"` for a regular expression",
                    '!', "write `not`, or `!=` for unequal"),
            "Q000",
            "Q000");

    private final Findings findings = new Findings(FINDINGS_MAX);
    private final TokenStream tokens;
    private final Literals literals;
    private final ExpressionParser expressions;
    private final MatchParser matches;
    private final ReadParser reads;
    private final TypeParser types;
    private final List<Setting> settings = new ArrayList<>();
    private final List<GqFile.Query> queries = new ArrayList<>();
    private @Nullable StatementSyntax statement;

    private GqParser(SourceText source, Work work) {
        this.tokens = new TokenStream(GQ, source.text(), findings, work);
        this.literals = new Literals(tokens);
        this.expressions = new ExpressionParser(tokens, literals);
        this.matches = new MatchParser(tokens, expressions, literals);
        this.reads = new ReadParser(tokens, expressions, matches);
        this.types = new TypeParser(tokens, literals);
    }

    /**
     * The parsed file and its findings.
     *
     * @param findings empty when the file may be used
     */
    public record Outcome(GqFile file, List<Diagnostic> findings) {}

    /** Parses a source without counting the steps. */
    public static Outcome parse(SourceText source) {
        return parse(source, Work.UNCOUNTED);
    }

    /** Parses a source. */
    public static Outcome parse(SourceText source, Work work) {
        GqParser parser = new GqParser(source, work);
        try {
            parser.file();
        } catch (TokenStream.Mistake mistake) {
            // The finding is noted already, and it was the last one.
        }
        GqFile file = new GqFile(List.copyOf(parser.settings), List.copyOf(parser.queries), parser.statement);
        return new Outcome(file, parser.findings.diagnostics(source));
    }

    /** The source laid out; its meaning is the same. */
    public static String format(String source) {
        return GQ.format(source);
    }

    private void file() {
        while (tokens.atWord("set") || tokens.atWord("reset")) {
            settings.add(setting());
        }
        if (tokens.atWord("branch") || tokens.atWord("commit") || tokens.atWord("show") || tokens.atWord("explain")) {
            statement = statement();
            tokens.accept(TokenKind.SEMICOLON);
            if (!tokens.at(TokenKind.END)) {
                throw tokens.expected("the end of the source", "a file holds one statement, or queries");
            }
            return;
        }
        Set<String> names = new HashSet<>();
        while (!tokens.at(TokenKind.END)) {
            try {
                GqFile.Query query = query();
                if (!names.add(query.name())) {
                    tokens.note(
                            query.nameSpan().start(),
                            "the query `" + query.name() + "` is declared twice",
                            "give one of them another name");
                }
                queries.add(query);
            } catch (TokenStream.Mistake mistake) {
                tokens.recover(mistake);
                skipToQuery();
            }
        }
    }

    private void skipToQuery() {
        while (!tokens.at(TokenKind.END)
                && !(tokens.atWord("query")
                        && tokens.kind(1) == TokenKind.NAME
                        && tokens.kind(2) == TokenKind.LEFT_PAREN)) {
            tokens.advance();
        }
    }

    private Setting setting() {
        Span start = tokens.span();
        boolean reset = tokens.atWord("reset");
        tokens.advance();
        String name = tokens.expect(TokenKind.NAME, "the name of a setting");
        Value value = null;
        if (!reset) {
            tokens.expect(TokenKind.EQUAL, "`=` after the name of the setting");
            value = atBareWord()
                    ? new Value.Text(tokens.expect(TokenKind.NAME, "a word"))
                    : literals.value("a literal value");
        }
        tokens.expect(TokenKind.SEMICOLON, "`;` after the setting");
        boolean all = reset && name.equals("all");
        return new Setting(all ? null : name, value, tokens.spanFrom(start));
    }

    /** Settings whose values are words take them without quotes, too. */
    private boolean atBareWord() {
        return tokens.at(TokenKind.NAME) && !LITERAL_WORDS.contains(tokens.tokenText());
    }

    private StatementSyntax statement() {
        String word = tokens.tokenText();
        tokens.advance();
        return switch (word) {
            case "branch" -> new BranchStatementParser(tokens).branchStatement();
            case "commit" -> new BranchStatementParser(tokens).commitStatement();
            case "show" -> {
                String name = tokens.expect(TokenKind.NAME, "the name of a setting, or `all`");
                yield new StatementSyntax.Show(name.equals("all") ? null : name);
            }
            default -> {
                boolean analyze = tokens.acceptWord("analyze");
                yield new StatementSyntax.Explain(analyze, query());
            }
        };
    }

    private GqFile.Query query() {
        if (!tokens.atWord("query")) {
            throw tokens.expected("`query`", beginning());
        }
        Span first = tokens.span();
        tokens.advance();
        Span nameSpan = tokens.span();
        String name = tokens.at(TokenKind.NAME)
                ? tokens.tokenText()
                : tokens.expect(TokenKind.NAME, "the name of the query, which starts with a lower-case letter");
        if (tokens.at(TokenKind.NAME)) {
            tokens.advance();
        }
        List<GqFile.Parameter> parameters = parameters(name);
        matches.begin(parameters.stream().map(GqFile.Parameter::name).toList());
        List<Annotation> annotations = annotations();
        Span start = tokens.span();
        tokens.expect(TokenKind.LEFT_BRACE, "`{` before the body of the query");
        GqFile.Body body = body(start);
        if (!tokens.at(TokenKind.RIGHT_BRACE)) {
            throw trailing();
        }
        tokens.advance();
        return new GqFile.Query(name, parameters, annotations, body, nameSpan, tokens.spanFrom(first));
    }

    /** What the first word of a source, which begins nothing, may have meant. */
    private String beginning() {
        if (tokens.atWord("match") || tokens.atWord("insert")) {
            return "a query has a name and braces: `query q() { … }`";
        }
        if (tokens.atWord("order") || tokens.atWord("skip") || tokens.atWord("limit")) {
            return "`" + tokens.tokenText() + "` belongs to the query before it, on the line of its last brace";
        }
        String foreign = ForeignWords.hint(tokens);
        if (foreign != null) {
            return foreign;
        }
        String near = Suggestion.didYouMean(tokens.tokenText(), BEGINNINGS);
        return near != null
                ? near
                : "a file holds settings, then queries such as `query q() { match { … } return { … } }`,"
                        + " or one statement: branch, show, explain";
    }

    private TokenStream.Mistake trailing() {
        boolean knownClause = tokens.at(TokenKind.NAME) && READ_ORDER.contains(tokens.tokenText());
        return tokens.expected(
                "`}` at the end of the query",
                knownClause
                        ? "the order of the clauses is match, return, where, order, skip, limit; only `match` and `with`"
                                + " stand more than once, before `return`; `union` joins whole reads"
                        : switch (tokens.kind()) {
                            case SEMICOLON -> "clauses end without `;`";
                            case COMMA -> "`limit` takes one number: `skip 2 limit 5`";
                            default -> ForeignWords.hint(tokens);
                        });
    }

    private List<GqFile.Parameter> parameters(String query) {
        tokens.expect(TokenKind.LEFT_PAREN, "`(` after `" + query + "`, also when there are no parameters");
        List<GqFile.Parameter> parameters = new ArrayList<>();
        Set<String> names = new HashSet<>();
        while (!tokens.accept(TokenKind.RIGHT_PAREN)) {
            if (!parameters.isEmpty()) {
                tokens.expect(TokenKind.COMMA, "`,` or `)` after the parameter");
                if (tokens.accept(TokenKind.RIGHT_PAREN)) {
                    break;
                }
            }
            Span start = tokens.span();
            if (parameters.size() == PARAMETERS_MAX) {
                throw tokens.stop(
                        start,
                        "`" + query + "` has more than " + PARAMETERS_MAX + " parameters",
                        "pass many values as one list, such as `$names: [String]`");
            }
            String name = tokens.expect(TokenKind.VARIABLE, "a parameter such as `$name: String`")
                    .substring(1);
            tokens.expect(TokenKind.COLON, "`:` and a type after `$" + name + "`");
            List<GqFile.Parameter> fields = types.atRecords() ? types.fields() : List.of();
            PropertyType type = fields.isEmpty() ? types.type() : TypeParser.RECORDS;
            boolean nullable = tokens.accept(TokenKind.QUESTION);
            ExpressionSyntax defaultValue = tokens.accept(TokenKind.EQUAL) ? expressions.operand() : null;
            if (!names.add(name)) {
                tokens.note(start.start(), "the parameter `$" + name + "` is declared twice", null);
            }
            parameters.add(new GqFile.Parameter(name, type, nullable, defaultValue, fields, start));
        }
        return List.copyOf(parameters);
    }

    private List<Annotation> annotations() {
        List<Annotation> annotations = new ArrayList<>();
        while (tokens.at(TokenKind.AT_NAME)) {
            String name = tokens.tokenText().substring(1);
            tokens.advance();
            tokens.expect(TokenKind.LEFT_PAREN, "`(` and a string after `@" + name + "`");
            String argument = tokens.string("a string");
            tokens.expect(TokenKind.RIGHT_PAREN, "`)`");
            Map<String, String> none = new LinkedHashMap<>();
            annotations.add(new Annotation(name, argument, none));
        }
        return List.copyOf(annotations);
    }

    private GqFile.Body body(Span start) {
        if (!reads.atStart()) {
            String foreign = ForeignWords.hint(tokens);
            throw tokens.expected(
                    "`match`, `insert`, `update` or `delete`",
                    foreign != null ? foreign : "a query reads with `match { … } return { … }` or writes");
        }
        return reads.body(start);
    }
}
