package service.projection.view;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.port.TextIndex;

/** What indexes of texts know about a view, asked for at the first use. One thread. */
final class AskedTexts {
    private @Nullable Supplier<@Nullable TextIndex> source;
    private @Nullable TextIndex texts;

    AskedTexts(Supplier<@Nullable TextIndex> source) {
        this.source = source;
    }

    @Nullable
    TextIndex get() {
        if (source != null) {
            texts = source.get();
            source = null;
        }
        return texts;
    }

    /** Lets them go, and asks for none later. */
    void leave() {
        source = null;
        if (texts != null) {
            texts.close();
            texts = null;
        }
    }
}
