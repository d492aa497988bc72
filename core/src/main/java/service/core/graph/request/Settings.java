package service.core.graph.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.gq.CompiledSource.SettingChange;
import service.core.port.QueryExecutor;
import service.core.value.Value;

/**
 * The settings of one request ({@code docs/gq.md}, Settings): the process's values, replaced by the request's, replaced
 * by the file's. Immutable; any thread.
 */
public final class Settings {
    /** The source of a value. */
    public enum Source {
        DEFAULT,
        ENV,
        REQUEST,
        FILE;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One row of {@code show all}. */
    public record Row(String name, String value, String defaultValue, String source, String scope) {}

    /** The values of a process without settings in its environment. */
    public static final Settings DEFAULTS = ofEnvironment(Map.of());

    private record Entry(long value, Source source) {}

    private final EnumMap<Setting, Entry> entries;
    private final @Nullable Settings process;

    private Settings(EnumMap<Setting, Entry> entries, @Nullable Settings process) {
        this.entries = entries;
        this.process = process;
    }

    /**
     * The process's values.
     *
     * @throws service.core.error.StartRefusedException naming the variable, its value and what is allowed
     */
    public static Settings ofEnvironment(Map<String, String> environment) {
        EnumMap<Setting, Entry> entries = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            boolean given = environment.containsKey(setting.variable().name());
            entries.put(setting, new Entry(setting.read(environment), given ? Source.ENV : Source.DEFAULT));
        }
        return new Settings(entries, null);
    }

    /** These values with a request's {@code settings} object over them. */
    public Settings withRequest(@Nullable ObjectNode settings) {
        if (settings == null || settings.isEmpty()) {
            return this;
        }
        Settings merged = copy();
        for (Map.Entry<String, JsonNode> entry : settings.properties()) {
            Setting setting = merged.requestSetting(entry.getKey());
            JsonNode node = entry.getValue();
            Long value = setting.isWord()
                    ? (node.isTextual() ? setting.wordValue(node.textValue()) : null)
                    : (node.isIntegralNumber() && node.canConvertToLong() ? (Long) node.longValue() : null);
            merged.set(setting, value, node.toString(), Source.REQUEST);
        }
        return merged;
    }

    /** These values, replaced by those of a file's {@code set} and {@code reset} lines. */
    public Settings withFile(List<SettingChange> changes) {
        if (changes.isEmpty()) {
            return this;
        }
        Settings merged = copy();
        for (SettingChange change : changes) {
            Value given = change.value();
            if (change.name() == null) {
                Arrays.stream(Setting.values())
                        .filter(setting -> setting.ofRequest)
                        .forEach(merged::reset);
            } else if (given == null) {
                merged.reset(merged.requestSetting(change.name()));
            } else {
                Setting setting = merged.requestSetting(change.name());
                merged.set(setting, fileValue(setting, given), written(given), Source.FILE);
            }
        }
        return merged;
    }

    private static @Nullable Long fileValue(Setting setting, Value given) {
        return switch (given) {
            case Value.Int number when !setting.isWord() -> number.value();
            case Value.Text word when setting.isWord() -> setting.wordValue(word.value());
            default -> null;
        };
    }

    private static String written(Value given) {
        return switch (given) {
            case Value.Null ignored -> "null";
            case Value.Bool v -> String.valueOf(v.value());
            case Value.Int v -> String.valueOf(v.value());
            case Value.UInt v -> Long.toUnsignedString(v.bits());
            case Value.Real v -> String.valueOf(v.value());
            case Value.Text v -> "\"" + v.value() + "\"";
            case Value.Date ignored -> "a date";
            case Value.DateTime ignored -> "a date-time";
            case Value.ListOf ignored -> "a list";
            case Value.Vector ignored -> "a vector";
            case Value.ManagedBlob ignored -> "a blob";
            case Value.ExternalBlob ignored -> "a blob";
            case Value.Computed v -> throw v.unstored();
        };
    }

    private Settings copy() {
        return new Settings(entries.clone(), process == null ? this : process);
    }

    private Setting requestSetting(String name) {
        Setting setting = required(name);
        if (!setting.ofRequest) {
            throw ServiceException.badRequest(
                    Reason.SETTING,
                    "setting `" + name + "` belongs to the process; set it before start; " + setting.row());
        }
        return setting;
    }

    private static Setting required(String name) {
        Setting setting = Setting.named(name);
        if (setting == null) {
            String meant = Suggestion.didYouMean(name, Setting.names());
            throw ServiceException.badRequest(
                    Reason.SETTING,
                    "setting `"
                            + name
                            + "` is unknown"
                            + (meant == null ? "" : "; " + meant)
                            + "; there are "
                            + String.join(", ", Setting.names()));
        }
        return setting;
    }

    private void set(Setting setting, @Nullable Long value, String written, Source source) {
        if (value == null || value < setting.min || value > setting.max) {
            throw ServiceException.badRequest(
                    Reason.SETTING,
                    "setting `" + setting.settingName() + "` cannot be " + written + "; " + setting.row());
        }
        long processValue = processValue(setting);
        if (setting.onlyLowered && value > processValue) {
            throw ServiceException.badRequest(
                    Reason.SETTING,
                    "setting `"
                            + setting.settingName()
                            + "` cannot be raised above the process's "
                            + processValue
                            + "; "
                            + setting.row());
        }
        entries.put(setting, new Entry(value, source));
    }

    private void reset(Setting setting) {
        entries.put(setting, (process == null ? this : process).entry(setting));
    }

    private long processValue(Setting setting) {
        return (process == null ? this : process).entry(setting).value();
    }

    private Entry entry(Setting setting) {
        Entry entry = entries.get(setting);
        if (entry == null) {
            throw new IllegalStateException("every setting has a value");
        }
        return entry;
    }

    public int timeoutMillis() {
        return (int) entry(Setting.TIMEOUT_MS).value();
    }

    /** How long the writer may wait to group commits; a setting of the process. */
    public long commitGroupMicros() {
        return entry(Setting.COMMIT_GROUP_MICROS).value();
    }

    /** How long a change may stay out of the search indexes; a setting of the process. */
    public long searchRefreshMillis() {
        return entry(Setting.SEARCH_REFRESH_MS).value();
    }

    public long workLimit() {
        return entry(Setting.WORK_LIMIT).value();
    }

    public int rowLimit() {
        return (int) entry(Setting.ROW_LIMIT).value();
    }

    public QueryExecutor.SearchLimits search() {
        return new QueryExecutor.SearchLimits(
                (int) entry(Setting.SEARCH_EXACT_MAX).value(),
                (int) entry(Setting.RRF_WINDOW).value());
    }

    /** Whether a merge combines changes of different properties of one entity. */
    public boolean mergesProperties() {
        return entry(Setting.MERGE_GRANULARITY).value() == 1;
    }

    /** Whether reads use structures in memory. */
    public boolean isResident() {
        return entry(Setting.RESIDENT).value() == 0;
    }

    /** Rows of {@code show}: of the setting of that name, or of all when it is null. */
    public List<Row> rows(@Nullable String name) {
        List<Row> rows = new ArrayList<>();
        for (Setting setting : name == null ? Setting.values() : new Setting[] {required(name)}) {
            rows.add(new Row(
                    setting.settingName(),
                    setting.text(entry(setting).value()),
                    setting.text(setting.defaultValue),
                    entry(setting).source().wireName(),
                    setting.scope()));
        }
        return rows;
    }
}
