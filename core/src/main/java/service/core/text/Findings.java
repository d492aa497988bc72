package service.core.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.error.Suggestion;

/** Collects the findings of one source, up to a maximum; further ones are left out. Not safe between threads. */
public final class Findings {
    private record Finding(
            int at, String code, String message, @Nullable String hint) {}

    /** Characters of a message and of a hint: both may name things of any length. */
    private static final int TEXT_MAX = 1_000;

    private final int max;
    private final List<Finding> findings = new ArrayList<>();

    public Findings(int max) {
        this.max = max;
    }

    public void add(String code, int at, String message) {
        add(code, at, message, null);
    }

    public void add(String code, int at, String message, @Nullable String hint) {
        if (isFull()) {
            return;
        }
        Finding finding = new Finding(at, code, cut(message), hint == null ? null : cut(hint));
        if (!findings.contains(finding)) {
            findings.add(finding);
        }
    }

    private static String cut(String text) {
        if (text.length() <= TEXT_MAX) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(TEXT_MAX - 1)) ? TEXT_MAX - 1 : TEXT_MAX) + "…";
    }

    /** Reports an unknown name, with the nearest known one as the hint. */
    public void addUnknown(String code, int at, String message, String name, Collection<String> known) {
        if (!isFull()) {
            add(code, at, message, Suggestion.didYouMean(name, known));
        }
    }

    public boolean isFull() {
        return findings.size() >= max;
    }

    public boolean isEmpty() {
        return findings.isEmpty();
    }

    /** The findings in the order of the source, with lines and columns. */
    public List<Diagnostic> diagnostics(SourceText source) {
        List<Finding> sorted = new ArrayList<>(findings);
        sorted.sort(Comparator.comparingInt(Finding::at));
        return sorted.stream()
                .map(finding -> source.at(finding.at, finding.code, finding.message, finding.hint))
                .toList();
    }
}
