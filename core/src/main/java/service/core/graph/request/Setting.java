package service.core.graph.request;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.config.Variable;

/** The settings of {@code language.md}: one constant for each row of its table. */
public enum Setting {
    TIMEOUT_MS("milliseconds", 1, 300_000, 30_000, true, true, "time of one request"),
    WORK_LIMIT("entities", 1, 1L << 53, 50_000_000, true, true, "entities and edges that one query may look at"),
    ROW_LIMIT("rows", 1, 10_000_000, 1_000_000, true, true, "rows that one query may answer"),
    MERGE_GRANULARITY("", 0, 1, 0, true, false, "smallest unit that a merge compares for conflicts"),
    COMMIT_GROUP_MICROS(
            "microseconds", 0, 100_000, 0, false, false, "time for which the first write of a group waits for others");

    private static final List<String> GRANULARITIES = List.of("entity", "property");

    private final String unit;
    private final String meaning;
    final long min;
    final long max;
    final long defaultValue;
    final boolean ofRequest;

    /** Whether a request may only lower it below the process's value. */
    final boolean onlyLowered;

    Setting(
            String unit,
            long min,
            long max,
            long defaultValue,
            boolean ofRequest,
            boolean onlyLowered,
            String meaning) {
        this.unit = unit;
        this.min = min;
        this.max = max;
        this.defaultValue = defaultValue;
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
                ? new Variable.Word(name, GRANULARITIES, text(defaultValue), meaning)
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
            case Variable.Text text -> throw new IllegalStateException("no setting is a free text");
        };
    }

    /** {@code request} or {@code process}. */
    String scope() {
        return ofRequest ? "request" : "process";
    }

    boolean isWord() {
        return this == MERGE_GRANULARITY;
    }

    /** A value as it is shown and written. */
    String text(long value) {
        return isWord() ? GRANULARITIES.get((int) value) : Long.toString(value);
    }

    /** The value of a word; null when the word is not a value of this setting. */
    static @Nullable Long wordValue(String word) {
        int index = GRANULARITIES.indexOf(word);
        return index < 0 ? null : (long) index;
    }

    /** The row of the setting in the table, quoted in error messages. */
    String row() {
        String values = isWord() ? String.join(", ", GRANULARITIES) : min + ".." + max;
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
