package service.core.gq.check;

import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.error.Suggestion;
import service.core.gq.plan.Expression.Origin;
import service.core.schema.Annotation;
import service.core.schema.Property;
import service.core.text.Findings;
import service.core.text.Span;
import service.core.text.Work;

/**
 * The findings of the checker. A mistake is noted and thrown as {@link Refused}; the check of a list of clauses or
 * columns catches it and continues with the next item.
 */
final class QueryFindings {
    /** The maximum number of errors of one query; further ones are left out. */
    private static final int FINDINGS_MAX = 50;

    /** Unwinds to the nearest list. The finding is noted already. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Refused() {
            super(null, null, false, false);
        }
    }

    /** Unwinds to the end of the check, when there are as many errors as are shown. */
    static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Enough() {
            super(null, null, false, false);
        }
    }

    private final SourceText source;
    private final Work work;
    private final Findings errors = new Findings(FINDINGS_MAX);
    private final Findings warnings = new Findings(FINDINGS_MAX);

    QueryFindings(SourceText source, Work work) {
        this.source = source;
        this.work = work;
    }

    /** Whether the query is a mutation, which takes no search. */
    boolean isOfMutation;

    /** Whether a {@code limit} bounds the part of the query that is being checked, which some functions need. */
    boolean isLimited;

    /** What the check costs. */
    Work work() {
        return work;
    }

    /** The errors in the order of their positions in the source. */
    List<Diagnostic> errors() {
        return errors.diagnostics(source);
    }

    List<Diagnostic> warnings() {
        return warnings.diagnostics(source);
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
        if (errors.isFull()) {
            throw new Enough();
        }
    }

    void warn(String code, Span span, String message, @Nullable String hint) {
        warnings.add(code, span.start(), message, hint);
    }

    /** Whether a parameter may be used in a part that was refused, and so not checked to its end. */
    boolean mayUse(String parameter) {
        if (errors.isEmpty()) {
            return false;
        }
        Pattern named = Pattern.compile("\\$" + Pattern.quote(parameter) + "\\b");
        return named.matcher(source.text()).results().limit(2).count() == 2; // the first declares it
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
        return source.shown(span.start(), span.end());
    }

    /** The whole source of a span. */
    String whole(Span span) {
        return source.text().substring(span.start(), span.end());
    }

    /** The line on which a span begins, from 1. */
    int line(Span span) {
        return source.line(span.start());
    }

    Origin origin(Span span) {
        return new Origin(source, span.start(), span.end());
    }

    /** As {@link #nearOr}, for names that begin with a dollar sign. */
    static @Nullable String nearVariable(String wrong, Collection<String> names, @Nullable String fallback) {
        String near = Suggestion.nearest(wrong, names);
        return near != null ? "did you mean `$" + near + "`?" : fallback;
    }

    /** The hint that the property was renamed, where the schema says so; else null. */
    static @Nullable String renamed(String name, Collection<Property> properties) {
        for (Property property : properties) {
            if (name.equals(Annotation.argumentOf(property.annotations(), "rename_from"))) {
                return "`" + name + "` is now `" + property.name() + "`";
            }
        }
        return null;
    }

    /** {@code did you mean …?}, or the fallback when no name is near. */
    static @Nullable String nearOr(String wrong, Collection<String> names, @Nullable String fallback) {
        String near = Suggestion.didYouMean(wrong, names);
        return near != null ? near : fallback;
    }
}
