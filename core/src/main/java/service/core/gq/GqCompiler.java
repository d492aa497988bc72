package service.core.gq;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.error.Suggestion;
import service.core.gq.CompiledSource.Request;
import service.core.gq.CompiledSource.SettingChange;
import service.core.gq.check.QueryChecker;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.GqFile;
import service.core.gq.syntax.GqFile.StatementSyntax;
import service.core.gq.syntax.GqParser;
import service.core.schema.Catalog;
import service.core.text.TokenStream;
import service.core.text.Work;

/**
 * Compiles GQ against a schema, in time linear in the source for all but pathological schemas. The depth of recursion
 * is bounded. Any thread.
 */
public final class GqCompiler {
    /** Heap bytes that each character of a source may need: its tokens, its syntax tree and its plan. */
    public static final long BYTES_PER_CHAR = 120;

    /** Queries that a refusal names. */
    private static final int NAMES_MAX = 50;

    private GqCompiler() {}

    /**
     * Compiles the query or statement that a source asks for. Of several queries only the chosen one is checked.
     *
     * @param name the query to run; may be null when the source holds one query or a statement
     * @throws ServiceException BAD_REQUEST, with diagnostics for mistakes in the source, without diagnostics when the
     *     name does not choose a query
     */
    public static CompiledSource compile(String source, @Nullable String name, Catalog catalog) {
        return compile(source, name, catalog, Work.UNCOUNTED);
    }

    /**
     * As {@link #compile(String, String, Catalog)}, on behalf of a request.
     *
     * @param work told of every step; may end the compilation
     */
    public static CompiledSource compile(String source, @Nullable String name, Catalog catalog, Work work) {
        SourceText text = new SourceText(source);
        GqFile file = parse(text, work);
        List<SettingChange> settings = file.settings().stream()
                .map(setting -> new SettingChange(setting.name(), setting.value()))
                .toList();
        StatementSyntax statement = file.statement();
        if (statement != null) {
            return statement(settings, statement, name, new Checking(text, catalog, work));
        }
        QueryChecker.Outcome outcome = QueryChecker.check(choose(file.queries(), name), text, catalog, work);
        requireClean(outcome, text);
        return new CompiledSource(settings, new Request.Query(outcome.plan()), outcome.warnings());
    }

    /**
     * The findings and plans of a whole source.
     *
     * @param findings errors before warnings
     * @param plans of the queries without an error, in order
     */
    public record Inspection(List<Diagnostic> findings, List<Plan> plans) {}

    /** All findings in a source, as {@link #inspect} returns them. */
    public static List<Diagnostic> lint(String source, Catalog catalog) {
        return inspect(source, catalog).findings();
    }

    /**
     * Checks every query of a source, as {@code lint} shows it. Never throws because of the source. A query with a
     * syntax error is not checked further; the other queries are.
     */
    public static Inspection inspect(String source, Catalog catalog) {
        return inspect(source, catalog, Work.UNCOUNTED);
    }

    /**
     * As {@link #inspect(String, Catalog)}, on behalf of a request.
     *
     * @param work told of every step; may end the check
     */
    public static Inspection inspect(String source, Catalog catalog, Work work) {
        SourceText text = new SourceText(source);
        GqParser.Outcome parsed = GqParser.parse(text, work);
        List<Diagnostic> errors = new ArrayList<>(parsed.findings());
        List<Diagnostic> warnings = new ArrayList<>();
        List<Plan> plans = new ArrayList<>();
        List<GqFile.Query> queries = new ArrayList<>(parsed.file().queries());
        if (parsed.file().statement() instanceof StatementSyntax.Explain explain) {
            queries.add(explain.query());
        }
        int[] mistakes = parsed.findings().stream()
                .mapToInt(finding -> text.offset(finding.line(), finding.column()))
                .toArray();
        for (GqFile.Query query : queries) {
            if (Arrays.stream(mistakes)
                    .anyMatch(at ->
                            at >= query.span().start() && at < query.span().end())) {
                continue;
            }
            QueryChecker.Outcome outcome = QueryChecker.check(query, text, catalog, work);
            errors.addAll(outcome.errors());
            warnings.addAll(outcome.warnings());
            if (outcome.errors().isEmpty()) {
                plans.add(outcome.plan());
            }
        }
        errors.sort(Comparator.comparingInt(Diagnostic::line).thenComparingInt(Diagnostic::column));
        errors.addAll(warnings);
        return new Inspection(List.copyOf(errors), List.copyOf(plans));
    }

    /** The names of the queries in a source, in order. */
    public static List<String> queryNames(String source) {
        return parse(new SourceText(source), Work.UNCOUNTED).queries().stream()
                .map(GqFile.Query::name)
                .toList();
    }

    /**
     * Whether the query that a source asks for has a parameter that is a list of records. Does not check the query.
     *
     * @throws ServiceException as {@link #compile} does for a source that does not parse
     */
    public static boolean takesRecords(String source, @Nullable String name, Work work) {
        GqFile file = parse(new SourceText(source), work);
        return file.statement() == null
                && choose(file.queries(), name).parameters().stream()
                        .anyMatch(parameter -> !parameter.fields().isEmpty());
    }

    /** A query and the position of its name in its source, from 1. */
    public record QueryPlace(String name, int line, int column) {}

    /** The queries that the parser finds in a source, in order, also when the source has mistakes. */
    public static List<QueryPlace> queryPlaces(String source) {
        SourceText text = new SourceText(source);
        return GqParser.parse(text).file().queries().stream()
                .map(query -> new QueryPlace(
                        query.name(),
                        text.line(query.nameSpan().start()),
                        text.column(query.nameSpan().start())))
                .toList();
    }

    /**
     * Describes a query that this build does not accept and an earlier one did; null when it does not parse.
     *
     * @return a plan with the name, kind, annotations and parameters of the query, which must not be run
     */
    public static @Nullable Plan describe(String source, String name, Catalog catalog) {
        SourceText text = new SourceText(source);
        GqParser.Outcome parsed = GqParser.parse(text);
        for (GqFile.Query query : parsed.file().queries()) {
            if (parsed.findings().isEmpty() && query.name().equals(name)) {
                return QueryChecker.check(query, text, catalog, Work.UNCOUNTED).plan();
            }
        }
        return null;
    }

    /** The text of the query of that name alone, without what else its file holds. */
    public static String textOf(String source, String name) {
        for (GqFile.Query query : GqParser.parse(new SourceText(source)).file().queries()) {
            if (query.name().equals(name)) {
                return source.substring(query.span().start(), query.span().end());
            }
        }
        throw new IllegalArgumentException("the source has no query " + name);
    }

    /** Whether the query of that name writes; false where the source does not hold it or is not correct. */
    public static boolean isMutation(String source, String name) {
        GqParser.Outcome parsed = GqParser.parse(new SourceText(source));
        return parsed.findings().isEmpty()
                && parsed.file().queries().stream()
                        .anyMatch(query -> query.name().equals(name) && query.body() instanceof GqFile.Mutation);
    }

    /** Whether a source asks for the creation, deletion or merge of a branch; false where it is not correct. */
    public static boolean changesBranches(String source, Work work) {
        GqParser.Outcome parsed = GqParser.parse(new SourceText(source), work);
        return parsed.findings().isEmpty()
                && switch (parsed.file().statement()) {
                    case StatementSyntax.BranchCreate ignored -> true;
                    case StatementSyntax.BranchDelete ignored -> true;
                    case StatementSyntax.BranchMerge ignored -> true;
                    case StatementSyntax.Undo ignored -> true;
                    case null, default -> false;
                };
    }

    /**
     * A source laid out: the same tokens and comments, with the spaces and indentation that this project uses.
     *
     * @throws ServiceException BAD_REQUEST for a source that is not in the language
     */
    public static String format(String source) {
        parse(new SourceText(source), Work.UNCOUNTED);
        return GqParser.format(source);
    }

    private static GqFile parse(SourceText text, Work work) {
        GqParser.Outcome parsed = GqParser.parse(text, work);
        if (!parsed.findings().isEmpty()) {
            throw text.refusal(parsed.findings());
        }
        return parsed.file();
    }

    private static void requireClean(QueryChecker.Outcome outcome, SourceText text) {
        if (!outcome.errors().isEmpty()) {
            throw text.refusal(outcome.errors());
        }
    }

    private static GqFile.Query choose(List<GqFile.Query> queries, @Nullable String name) {
        if (queries.isEmpty()) {
            throw ServiceException.badRequest(
                    Reason.SYNTAX, "the source holds no query; write `query name() { match { … } return { … } }`");
        }
        if (name == null) {
            if (queries.size() == 1) {
                return queries.getFirst();
            }
            throw ServiceException.badRequest(
                    "the source holds several queries; choose one with `name`: " + names(queries));
        }
        for (GqFile.Query query : queries) {
            if (query.name().equals(name)) {
                return query;
            }
        }
        String near = Suggestion.didYouMean(
                name, queries.stream().map(GqFile.Query::name).toList());
        throw ServiceException.badRequest("the source holds no query `"
                + name
                + "`"
                + (near == null ? "" : "; " + near)
                + "; it holds "
                + names(queries));
    }

    private static String names(List<GqFile.Query> queries) {
        String names = queries.stream()
                .limit(NAMES_MAX)
                .map(query -> "`" + TokenStream.shortened(query.name()) + "`")
                .collect(Collectors.joining(", "));
        return queries.size() > NAMES_MAX ? names + " and " + (queries.size() - NAMES_MAX) + " others" : names;
    }

    private static UndoStatement undo(GqFile.UndoWord word) {
        return switch (word) {
            case REVERT -> UndoStatement.REVERT;
            case PICK -> UndoStatement.PICK;
            case RESTORE -> UndoStatement.RESTORE;
        };
    }

    /** What a query is checked against and on whose behalf. */
    private record Checking(SourceText text, Catalog catalog, Work work) {}

    private static CompiledSource statement(
            List<SettingChange> settings, StatementSyntax statement, @Nullable String name, Checking checking) {
        List<Diagnostic> warnings = List.of();
        if (name != null && !(statement instanceof StatementSyntax.Explain)) {
            throw ServiceException.badRequest(
                    "the source holds a statement and no query `" + name + "`; leave `name` out");
        }
        Request request = switch (statement) {
            case StatementSyntax.BranchList ignored -> new Request.BranchList();
            case StatementSyntax.BranchShow s -> new Request.BranchShow(s.branch());
            case StatementSyntax.BranchCreate s -> new Request.BranchCreate(s.branch(), s.from());
            case StatementSyntax.BranchDelete s -> new Request.BranchDelete(s.branch());
            case StatementSyntax.BranchMerge s -> new Request.BranchMerge(s.source(), s.target());
            case StatementSyntax.Undo s -> new Request.Undo(undo(s.word()), s.ref(), s.branch());
            case StatementSyntax.Show s -> new Request.ShowSettings(s.setting());
            case StatementSyntax.Explain s -> {
                QueryChecker.Outcome outcome = QueryChecker.check(
                        choose(List.of(s.query()), name), checking.text, checking.catalog, checking.work);
                requireClean(outcome, checking.text);
                warnings = outcome.warnings();
                yield new Request.Explain(outcome.plan(), s.analyze());
            }
        };
        return new CompiledSource(settings, request, warnings);
    }
}
