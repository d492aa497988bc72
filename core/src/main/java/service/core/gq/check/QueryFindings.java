package service.core.gq.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.error.Suggestion;
import service.core.gq.plan.Expression.Origin;
import service.core.text.Findings;
import service.core.text.Span;

/**
 * The findings of the checker. A mistake is noted and thrown as {@link Refused}; the check of a list of clauses or
 * columns catches it and continues with the next item.
 */
final class QueryFindings {
    private static final int TEXT_MAX = 60;

    /** The maximum number of errors of one query; further ones are left out. */
    private static final int FINDINGS_MAX = 50;

    /** Unwinds to the nearest list. The finding is noted already. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Refused() {
            super(null, null, false, false);
        }
    }

    private final SourceText source;
    private final Findings errors = new Findings(FINDINGS_MAX);
    private final List<Diagnostic> warnings = new ArrayList<>();

    QueryFindings(SourceText source) {
        this.source = source;
    }

    /** The errors in the order of their positions in the source. */
    List<Diagnostic> errors() {
        return errors.diagnostics(source);
    }

    List<Diagnostic> warnings() {
        return warnings;
    }

    Refused refuse(String code, Span span, String message, @Nullable String hint) {
        note(code, span, message, hint);
        return new Refused();
    }

    /** Refuses an expression that depends on one that was refused; adds no finding. */
    Refused silent() {
        if (errors.isEmpty()) {
            throw new IllegalStateException("silent without a finding");
        }
        return new Refused();
    }

    void note(String code, Span span, String message, @Nullable String hint) {
        errors.add(code, span.start(), message, hint);
    }

    void warn(String code, Span span, String message, @Nullable String hint) {
        warnings.add(source.at(span.start(), code, message, hint));
    }

    /** Runs a check; returns normally when the check is refused. */
    void attempt(Runnable check) {
        try {
            check.run();
        } catch (Refused refused) {
            // Already noted.
        }
    }

    /** The source of a span on one line, shortened when long. */
    String text(Span span) {
        String text = source.text().substring(span.start(), span.end()).replaceAll("\\s+", " ");
        return text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) + "…" : text;
    }

    Origin origin(Span span) {
        return new Origin(text(span), source, span.start());
    }

    /** As {@link #nearOr}, for names that begin with a dollar sign. */
    static @Nullable String nearVariable(String wrong, Collection<String> names, @Nullable String fallback) {
        String near = Suggestion.nearest(wrong, names);
        return near != null ? "did you mean `$" + near + "`?" : fallback;
    }

    /** {@code did you mean …?}, or the fallback when no name is near. */
    static @Nullable String nearOr(String wrong, Collection<String> names, @Nullable String fallback) {
        String near = Suggestion.didYouMean(wrong, names);
        return near != null ? near : fallback;
    }
}
