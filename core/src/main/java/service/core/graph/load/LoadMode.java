package service.core.graph.load;

import java.util.Locale;

/** How a load treats what is there already ({@code data.md} §2). */
public enum LoadMode {
    MERGE,
    APPEND,
    OVERWRITE;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
