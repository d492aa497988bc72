package service.core.graph.request;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.config.Variable;

/** The settings of a request: one constant for each row of the table in {@code docs/limits.md}. */
public enum Setting {
    TIMEOUT_MS(new Numbers("milliseconds", 1, 300_000, 30_000), true, true, "time of one request"),
    WORK_LIMIT(
            new Numbers("entities", 1, 1L << 53, 50_000_000),
            true,
            true,
            "entities and edges that one query may look at"),
    ROW_LIMIT(new Numbers("rows", 1, 10_000_000, 1_000_000), true, true, "rows that one query may answer"),
    SEARCH_EXACT_MAX(
            new Numbers("candidates", 0, Integer.MAX_VALUE, 100_000),
            true,
            false,
            "candidates up to which `nearest` compares all"),
    RRF_WINDOW(new Numbers("positions", 1, 10_000, 1_000), true, false, "positions of a ranking that `rrf` counts"),
    MERGE_GRANULARITY(List.of("entity", "property"), "smallest unit that a merge compares for conflicts"),
    COMMIT_GROUP_MICROS(
            new Numbers("microseconds", 0, 100_000, 0),
            false,
            false,
            "time for which the first write of a group waits for others"),
    SEARCH_REFRESH_MS(
            new Numbers("milliseconds", 10, 60_000, 1_000),
            false,
            false,
            "how long a change may stay out of the search indexes on an idle server"),
    RESIDENT(List.of("on", "off"), "whether reads use resident blocks, where there are some");

    /** The values of a setting that is a number, in a unit. */
    private record Numbers(String unit, long min, long max, long defaultValue) {}

    /** The values of a setting that is a word, the default first; empty for a number. */
    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> words;

    private final String unit;
    private final String meaning;
    final long min;
    final long max;
    final long defaultValue;
    final boolean ofRequest;

    /** Whether a request may only lower it below the process's value. */
    final boolean onlyLowered;

    Setting(Numbers numbers, boolean ofRequest, boolean onlyLowered, String meaning) {
        this(List.of(), numbers, ofRequest, onlyLowered, meaning);
    }

    Setting(List<String> words, String meaning) {
        this(words, new Numbers("", 0, words.size() - 1L, 0), true, false, meaning);
    }

    Setting(List<String> words, Numbers numbers, boolean ofRequest, boolean onlyLowered, String meaning) {
        this.words = words;
        this.unit = numbers.unit;
        this.min = numbers.min;
        this.max = numbers.max;
        this.defaultValue = numbers.defaultValue;
        this.ofRequest = ofRequest;
        this.onlyLowered = onlyLowered;
        this.meaning = meaning;
    }

    /** The name, as in {@code set name = …}. */
    public String settingName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The environment variable that gives the process's value. */
    public Variable variable() {
        String name = "SERVICE_" + name();
        return isWord()
                ? new Variable.Word(name, words, text(defaultValue), meaning)
                : new Variable.WholeNumber(name, unit, defaultValue, min, max, meaning);
    }

    /**
     * The process's value.
     *
     * @throws service.core.error.StartRefusedException naming the variable, its value and what is allowed
     */
    long read(Map<String, String> environment) {
        return switch (variable()) {
            case Variable.WholeNumber number -> number.read(environment);
            case Variable.Word word -> word.words().indexOf(word.read(environment));
            case Variable.Flag flag -> flag.read(environment) ? 1 : 0;
            case Variable.Text text -> throw new IllegalStateException("no setting is a free text");
        };
    }

    /** {@code request} or {@code process}. */
    String scope() {
        return ofRequest ? "request" : "process";
    }

    boolean isWord() {
        return !words.isEmpty();
    }

    /** A value as it is shown and written. */
    String text(long value) {
        return isWord() ? words.get((int) value) : Long.toString(value);
    }

    /** The value of a word; null when the word is not a value of this setting. */
    @Nullable
    Long wordValue(String word) {
        int index = words.indexOf(word);
        return index < 0 ? null : (long) index;
    }

    /** The row of the setting in the table, quoted in error messages. */
    String row() {
        String values = isWord() ? String.join(", ", words) : min + ".." + max;
        return settingName()
                + ": "
                + values
                + ", default "
                + text(defaultValue)
                + ", scope "
                + scope()
                + ", environment "
                + variable().name();
    }

    static @Nullable Setting named(String name) {
        for (Setting setting : values()) {
            if (setting.settingName().equals(name)) {
                return setting;
            }
        }
        return null;
    }

    static List<String> names() {
        return List.of(values()).stream().map(Setting::settingName).toList();
    }
}
