package service.projection.search.index;

import java.io.IOException;
import java.util.function.IntConsumer;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.Scorable;
import org.apache.lucene.search.ScoreMode;
import org.jspecify.annotations.Nullable;
import service.core.port.TextIndex;

/**
 * Takes what Lucene finds, without the documents that the view does not have so: a check here costs less than a clause
 * of the query. One search.
 */
final class FoundEntities implements Collector {
    private static final int WORK_STEP = 1_024;

    private final IndexPart part;
    private final int type;
    private final @Nullable IntConsumer found;
    private final @Nullable Candidates best;
    private final TextIndex.Payer payer;
    private int looked;

    /** @param found takes the ordinal of each */
    FoundEntities(IndexPart part, int type, IntConsumer found, TextIndex.Payer payer) {
        this.part = part;
        this.type = type;
        this.found = found;
        this.best = null;
        this.payer = payer;
    }

    /** @param best takes each with its score */
    FoundEntities(IndexPart part, int type, Candidates best, TextIndex.Payer payer) {
        this.part = part;
        this.type = type;
        this.found = null;
        this.best = best;
        this.payer = payer;
    }

    @Override
    public ScoreMode scoreMode() {
        return best == null ? ScoreMode.COMPLETE_NO_SCORES : ScoreMode.TOP_SCORES;
    }

    @Override
    public LeafCollector getLeafCollector(LeafReaderContext context) throws IOException {
        NumericDocValues ordinals = context.reader().getNumericDocValues(OwnIndex.ORDINAL);
        int[] hidden = part.hidden(type, context.ord);
        return new LeafCollector() {
            private @Nullable Scorable scorer;
            private int next;

            @Override
            public void setScorer(Scorable given) throws IOException {
                scorer = given;
                raise();
            }

            private void raise() throws IOException {
                if (scorer != null && best != null && best.least() > 0) {
                    scorer.setMinCompetitiveScore(best.least());
                }
            }

            @Override
            public void collect(int document) throws IOException {
                count();
                while (next < hidden.length && hidden[next] < document) {
                    next++;
                }
                if ((next < hidden.length && hidden[next] == document) || !ordinals.advanceExact(document)) {
                    return;
                }
                int ordinal = (int) ordinals.longValue();
                if (found != null) {
                    found.accept(ordinal);
                } else if (best != null && scorer != null && best.add(ordinal, scorer.score())) {
                    raise();
                }
            }
        };
    }

    private void count() {
        if (++looked == WORK_STEP) {
            looked = 0;
            payer.examined(WORK_STEP);
        }
    }
}
