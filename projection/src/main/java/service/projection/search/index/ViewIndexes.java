package service.projection.search.index;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.port.TextFilter;
import service.core.port.TextIndex;

/** What the indexes of texts and of vectors know about one view. Those of vectors are opened when they are asked. */
final class ViewIndexes implements TextIndex {
    private final @Nullable ViewTexts texts;
    private final Supplier<@Nullable ViewVectors> source;
    private @Nullable ViewVectors vectors;
    private boolean isAsked;

    ViewIndexes(@Nullable ViewTexts texts, Supplier<@Nullable ViewVectors> source) {
        this.texts = texts;
        this.source = source;
    }

    @Nullable
    ViewTexts texts() {
        return texts;
    }

    private @Nullable ViewVectors vectors() {
        if (!isAsked) {
            isAsked = true;
            vectors = source.get();
        }
        return vectors;
    }

    @Override
    public @Nullable Coverage coverage(int type, int property) {
        Coverage ofTexts = texts == null ? null : texts.coverage(type, property);
        ViewVectors known = ofTexts == null ? vectors() : null;
        return known == null ? ofTexts : known.coverage(type, property);
    }

    @Override
    public @Nullable Statistics statistics(int type, int property, List<String> terms, Payer payer) {
        return texts == null ? null : texts.statistics(type, property, terms, payer);
    }

    @Override
    public @Nullable Proposal find(int type, int property, TextFilter filter, Payer payer) {
        return texts == null ? null : texts.find(type, property, filter, payer);
    }

    @Override
    public @Nullable Proposal best(int type, int property, Ranked by, int most, IntPredicate among, Payer payer) {
        return texts == null ? null : texts.best(type, property, by, most, among, payer);
    }

    @Override
    public boolean hasNeighbors(int type, int property) {
        ViewVectors known = vectors();
        return known != null && known.coverage(type, property) != null;
    }

    @Override
    public @Nullable Proposal nearest(int type, int property, float[] sought, int most, Payer payer) {
        ViewVectors known = vectors();
        return known == null ? null : known.nearest(type, property, sought, most, payer);
    }

    @Override
    public void close() {
        if (texts != null) {
            texts.close();
        }
        if (vectors != null) {
            vectors.close();
        }
        isAsked = true;
        vectors = null;
    }
}
