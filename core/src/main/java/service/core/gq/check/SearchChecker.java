package service.core.gq.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.SearchFunction;
import service.core.gq.plan.SearchedBy;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.schema.AnalyzerName;
import service.core.schema.Annotation;
import service.core.schema.Property;
import service.core.schema.VectorMetric;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Checks the functions of search. */
final class SearchChecker {
    private static final List<String> MODES = List.of("any", "all", "prefix");
    private static final int EDITS_MAX = 2;
    private static final int RANKINGS_MAX = 8;
    private static final int K_MAX = 10_000;
    private static final Expression K = new Expression.Literal(new Value.Int(60), PropertyType.I64);

    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final Environment environment;
    private final ExpressionChecker checker;

    SearchChecker(
            QueryFindings findings, ParameterTable parameters, Environment environment, ExpressionChecker checker) {
        this.findings = findings;
        this.parameters = parameters;
        this.environment = environment;
        this.checker = checker;
    }

    Expression search(ExpressionSyntax.Search syntax) {
        SearchFunction function = syntax.function();
        if (findings.isOfMutation || !(environment instanceof PatternEnvironment names)) {
            throw findings.refuse(
                    "T28",
                    syntax.span(),
                    "`" + function.text() + "` cannot stand in a mutation",
                    "read first, then write by the ids that were found: `update T set { … } where @id in $ids`");
        }
        boolean needsLimit = function == SearchFunction.NEAREST || function == SearchFunction.RRF;
        if (needsLimit && !findings.isLimited) {
            findings.note(
                    function == SearchFunction.RRF ? "T21" : "T17",
                    syntax.span(),
                    "`" + function.text() + "` needs a `limit`, because it ranks everything",
                    "add `limit 10`");
        }
        return function == SearchFunction.RRF ? fused(syntax, names) : single(syntax, names);
    }

    /** A function over one property. */
    private Expression.Search single(ExpressionSyntax.Search syntax, PatternEnvironment names) {
        SearchFunction function = syntax.function();
        int most = function == SearchFunction.SEARCH || function == SearchFunction.FUZZY ? 3 : 2;
        int given = syntax.arguments().size();
        if (given < 2 || given > most) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "`" + function.text() + "` takes two " + (most == 3 ? "or three " : "") + "arguments, not " + given,
                    usage(function));
        }
        boolean ofVectors = function == SearchFunction.NEAREST;
        ExpressionSyntax written = syntax.arguments().getFirst();
        Expression.PropertyOf subject = subject(function, written);
        Map<Integer, Property> collection =
                names.collection(((ExpressionSyntax.Property) written).subject(), subject.name());
        List<Expression> arguments = new ArrayList<>();
        ExpressionSyntax sought = syntax.arguments().get(1);
        SearchedBy by;
        if (ofVectors) {
            by = vectors(written.span(), collection);
            arguments.add(vector(sought, (PropertyType.VectorOf) subject.type(), collection.values()));
        } else {
            by = texts(written.span(), collection);
            arguments.add(text(function, sought));
        }
        if (given == 3) {
            ExpressionSyntax last = syntax.arguments().getLast();
            arguments.add(function == SearchFunction.SEARCH ? mode(last) : edits(last));
        }
        return new Expression.Search(function, subject, List.copyOf(arguments), by, findings.origin(syntax.span()));
    }

    private static String usage(SearchFunction function) {
        return switch (function) {
            case SEARCH -> "such as `search($d.body, $q, \"all\")`";
            case FUZZY -> "such as `fuzzy($d.body, $q, 1)`";
            case NEAREST -> "such as `nearest($d.embedding, $v)`";
            case MATCH_TEXT, BM25, RRF -> "such as `" + function.text() + "($d.body, $q)`";
        };
    }

    /** The property that is searched. */
    private Expression.PropertyOf subject(SearchFunction function, ExpressionSyntax written) {
        boolean ofVectors = function == SearchFunction.NEAREST;
        String wanted = ofVectors ? "a Vector" : "a String or a list of Strings";
        Expression checked = written instanceof ExpressionSyntax.Property ? checker.check(written) : null;
        if (!(checked instanceof Expression.PropertyOf property)) {
            throw findings.refuse(
                    ofVectors ? "T18" : "T20",
                    written.span(),
                    "`" + function.text() + "` searches a property of a variable, not `" + findings.text(written.span())
                            + "`",
                    usage(function));
        }
        boolean fits = ofVectors ? property.type() instanceof PropertyType.VectorOf : Property.isText(property.type());
        if (!fits) {
            throw findings.refuse(
                    ofVectors ? "T18" : "T20",
                    written.span(),
                    "`" + function.text() + "` searches " + wanted + ", but `" + findings.text(written.span()) + "` is "
                            + property.typeName(),
                    property.type() instanceof PropertyType.EnumOf ? "an enum is searched with `=` and `in`" : null);
        }
        return property;
    }

    private SearchedBy texts(Span span, Map<Integer, Property> collection) {
        Set<AnalyzerName> analyzers = new HashSet<>();
        boolean annotated = true;
        for (Property property : collection.values()) {
            AnalyzerName analyzer = property.analyzer();
            annotated &= analyzer != null;
            analyzers.add(analyzer == null ? AnalyzerName.STANDARD : analyzer);
        }
        if (analyzers.size() != 1) {
            throw unlike("T20", span);
        }
        return new SearchedBy(analyzers.iterator().next(), null, identities(collection), annotated);
    }

    private SearchedBy vectors(Span span, Map<Integer, Property> collection) {
        Set<VectorMetric> metrics = new HashSet<>();
        boolean annotated = true;
        for (Property property : collection.values()) {
            VectorMetric metric = property.metric();
            annotated &= metric != null;
            metrics.add(metric == null ? VectorMetric.COSINE : metric);
        }
        if (metrics.size() != 1) {
            throw unlike("T18", span);
        }
        return new SearchedBy(null, metrics.iterator().next(), identities(collection), annotated);
    }

    private QueryFindings.Refused unlike(String code, Span span) {
        return findings.refuse(
                code,
                span,
                "the types of `" + findings.text(span) + "` have different `@search`, so their values do not compare",
                "declare the variable with one type, or give the property the same `@search` in all types");
    }

    private static Map<Integer, Integer> identities(Map<Integer, Property> collection) {
        Map<Integer, Integer> identities = new LinkedHashMap<>();
        collection.forEach((type, property) -> identities.put(type, property.identity()));
        return identities;
    }

    /** The text that is searched for: a literal or a parameter, both String, or null. */
    private Expression text(SearchFunction function, ExpressionSyntax written) {
        boolean stands = written instanceof ExpressionSyntax.Literal || isParameter(written);
        Expression text = stands ? checker.check(written) : null;
        if (text != null && isNull(text)) {
            return new Expression.Literal(Value.NULL, PropertyType.STRING);
        }
        if (text == null || !PropertyType.STRING.equals(text.type())) {
            throw findings.refuse(
                    "T20",
                    written.span(),
                    "`" + function.text() + "` searches for a text, but `" + findings.text(written.span()) + "` is "
                            + (text == null ? "neither a literal nor a parameter" : text.typeName()),
                    "write a string or a parameter of type String");
        }
        return text;
    }

    private boolean isParameter(ExpressionSyntax written) {
        return written instanceof ExpressionSyntax.Dollar dollar && parameters.has(dollar.name());
    }

    private static boolean isNull(Expression expression) {
        return expression instanceof Expression.Literal literal && literal.value() instanceof Value.Null;
    }

    /** The vector that is searched for; a text is accepted where the property records what its vectors were made of. */
    private Expression vector(ExpressionSyntax written, PropertyType.VectorOf type, Collection<Property> collection) {
        Expression vector = checker.check(written);
        if (isNull(vector)) {
            return new Expression.Literal(Value.NULL, type);
        }
        if (type.equals(vector.type())) {
            return vector;
        }
        Span span = written.span();
        boolean isText = PropertyType.STRING.equals(vector.type())
                && (vector instanceof Expression.Literal || vector instanceof Expression.Argument);
        if (isText && collection.stream().allMatch(property -> embed(property) != null)) {
            return parameters.embedded(
                    new Plan.Embedding(vector, model(span, collection), type, findings.origin(span)));
        }
        throw findings.refuse(
                "T18",
                span,
                "`nearest` takes a " + type + ", but `" + findings.text(span) + "` is " + vector.typeName(),
                isText
                        ? "text may stand here once the schema says what the vectors are made of: `@embed(\"property\")`"
                        : "declare the parameter as `" + type + "`");
    }

    private static @Nullable Annotation embed(Property property) {
        return property.annotations().stream()
                .filter(annotation -> annotation.name().equals("embed"))
                .findFirst()
                .orElse(null);
    }

    /** The model that the vectors were made with; null when none is recorded. */
    private @Nullable String model(Span span, Collection<Property> collection) {
        Set<String> models = new HashSet<>();
        for (Property property : collection) {
            Annotation embed = embed(property);
            models.add(embed == null ? "" : embed.named().getOrDefault("model", ""));
        }
        if (models.size() > 1) {
            throw unlike("T18", span);
        }
        String model = models.iterator().next();
        return model.isEmpty() ? null : model;
    }

    private Expression mode(ExpressionSyntax written) {
        if (written instanceof ExpressionSyntax.Literal literal
                && literal.value() instanceof Value.Text text
                && MODES.contains(text.value())) {
            return new Expression.Literal(text, PropertyType.STRING);
        }
        boolean isWord = written instanceof ExpressionSyntax.Literal literal && literal.value() instanceof Value.Text;
        String near = isWord && ((ExpressionSyntax.Literal) written).value() instanceof Value.Text text
                ? Suggestion.didYouMean(text.value(), MODES)
                : null;
        throw findings.refuse(
                "T19",
                written.span(),
                "`" + findings.text(written.span()) + "` is no mode of `search`",
                near != null ? near : "the modes are the literals \"any\", \"all\" and \"prefix\"");
    }

    private Expression edits(ExpressionSyntax written) {
        return number(written, 0, EDITS_MAX, "T19", "the edits of `fuzzy` are");
    }

    /** A literal within bounds, or a parameter that is an integer. */
    private Expression number(ExpressionSyntax written, int min, int max, String code, String what) {
        Expression number = written instanceof ExpressionSyntax.Literal
                        || written instanceof ExpressionSyntax.Negate
                        || isParameter(written)
                ? checker.check(written)
                : null;
        boolean fits = switch (number) {
            case Expression.Literal literal
            when literal.value() instanceof Value.Int(long value) -> value >= min && value <= max;
            case Expression.Argument argument -> Family.isInteger(argument.type());
            case null, default -> false;
        };
        if (number == null || !fits) {
            throw findings.refuse(
                    code,
                    written.span(),
                    what + " a whole number from " + min + " to " + max + ", not `" + findings.text(written.span())
                            + "`",
                    "write it out, or use a parameter of an integer type");
        }
        return number;
    }

    /** {@code rrf}. */
    private Expression fused(ExpressionSyntax.Search syntax, PatternEnvironment names) {
        Fusions fusions = names.fusions();
        if (fusions == null) {
            throw findings.refuse(
                    "T28",
                    syntax.span(),
                    "`rrf` stands in `return` and `order` only",
                    "filter with `search`, and rank in `order`");
        }
        List<ExpressionSyntax> written = new ArrayList<>(syntax.arguments());
        Expression k = K;
        if (!written.isEmpty() && !(written.getLast() instanceof ExpressionSyntax.Search)) {
            k = number(written.removeLast(), 1, K_MAX, "T21", "the constant of `rrf` is");
        }
        if (written.size() < 2 || written.size() > RANKINGS_MAX) {
            throw findings.refuse(
                    "T21",
                    syntax.span(),
                    "`rrf` fuses two to eight rankings, not " + written.size(),
                    "such as `rrf(nearest($d.embedding, $v), bm25($d.body, $q))`");
        }
        List<Expression.Search> rankings = new ArrayList<>();
        int slot = -1;
        for (ExpressionSyntax each : written) {
            if (!(each instanceof ExpressionSyntax.Search search)
                    || !search.function().isRanking()
                    || search.function() == SearchFunction.RRF) {
                throw findings.refuse(
                        "T21",
                        each.span(),
                        "`" + findings.text(each.span()) + "` is no ranking that `rrf` fuses",
                        "its arguments are `bm25` and `nearest`, then the constant");
            }
            Expression.Search ranking = single(search, names);
            int of = ((Expression.PropertyOf) ranking.subject()).slot();
            if (slot >= 0 && of != slot) {
                throw findings.refuse(
                        "T21", each.span(), "`rrf` fuses rankings of one variable", "rank the same variable each time");
            }
            slot = of;
            rankings.add(ranking);
        }
        return fusions.of(rankings, k, findings.origin(syntax.span()));
    }
}
