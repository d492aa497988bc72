package service.core.graph.load;

import java.util.Locale;

/** How a load treats existing entities ({@code docs/writes.md}). */
public enum LoadMode {
    MERGE,
    APPEND,
    OVERWRITE;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
