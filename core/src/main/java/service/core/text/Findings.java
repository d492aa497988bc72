package service.core.text;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final int max;
    private final List<Finding> findings = new ArrayList<>();

    /** Words, in lower case, of text that could not be read. */
    private final Set<String> doubtful = new HashSet<>();

    private boolean allDoubtful;

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

    /**
     * Notes that a part of the source could not be read. Its words may declare what the rest names: {@link #addUnknown}
     * leaves them out.
     */
    public void doubt(String part) {
        Matcher words = WORD.matcher(part);
        while (words.find()) {
            doubtful.add(words.group().toLowerCase(Locale.ROOT));
        }
    }

    /** Notes that something has no name, which may be any name: {@link #addUnknown} reports none. */
    public void doubtAll() {
        allDoubtful = true;
    }

    /** Whether a mistake that was reported may be the reason that this name is not what it should be. */
    public boolean isDoubtful(String name) {
        return allDoubtful || doubtful.contains(name.toLowerCase(Locale.ROOT));
    }

    /**
     * Reports an unknown name, with the nearest known one as the hint, unless a mistake that was reported may be the
     * reason that it is unknown.
     */
    public void addUnknown(String code, int at, String message, String name, Collection<String> known) {
        if (!isFull() && !isDoubtful(name)) {
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
