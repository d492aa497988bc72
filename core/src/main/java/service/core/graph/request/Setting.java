package service.core.graph.request;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The settings of {@code language.md}: one row of its table each. */
public enum Setting {
    TIMEOUT_MS(1, 300_000, 30_000, true, true),
    WORK_LIMIT(1, 1L << 53, 50_000_000, true, true),
    ROW_LIMIT(1, 10_000_000, 1_000_000, true, true),
    MERGE_GRANULARITY(0, 1, 0, true, false),
    COMMIT_GROUP_MICROS(0, 100_000, 0, false, false);

    private static final List<String> GRANULARITIES = List.of("entity", "property");

    final long min;
    final long max;
    final long defaultValue;
    final boolean ofRequest;

    /** Whether a request may lower it below the process's value but not raise it. */
    final boolean onlyLowered;

    Setting(long min, long max, long defaultValue, boolean ofRequest, boolean onlyLowered) {
        this.min = min;
        this.max = max;
        this.defaultValue = defaultValue;
        this.ofRequest = ofRequest;
        this.onlyLowered = onlyLowered;
    }

    /** As in {@code set name = …}. */
    public String settingName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The environment variable that gives the process's value. */
    public String variable() {
        return "SERVICE_" + name();
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

    /** The value that a word stands for; null when it stands for none. */
    static @Nullable Long wordValue(String word) {
        int index = GRANULARITIES.indexOf(word);
        return index < 0 ? null : (long) index;
    }

    /** The setting's row, as refusals repeat it. */
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
                + variable();
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
