package service.core.port;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The indexes for searches of one graph. They only make searches fast: what is found never depends on them, so no
 * method of this waits for them and none fails because of them. Any thread.
 *
 * @see TextIndex what they know about one view
 */
public interface SearchIndex {
    /** No index: every search reads records. */
    SearchIndex NONE = new SearchIndex() {
        @Override
        public SearchStatus status() {
            return SearchStatus.NONE;
        }

        @Override
        public void rebuild(Set<SearchStatus.Property> properties) {}

        @Override
        public Comparison compare(String branch) {
            return Comparison.NOTHING;
        }
    };

    /** What is indexed now; reads no table and no file of an index. */
    SearchStatus status();

    /** The numbers of the indexes, for metrics; as cheap as {@link #status}. */
    default SearchGauges gauges() {
        return SearchGauges.NONE;
    }

    /**
     * Drops indexes and begins to build them again beside; returns at once. Searches read records meanwhile.
     *
     * @param properties those to build again; all when it is empty
     */
    void rebuild(Set<SearchStatus.Property> properties);

    /**
     * Compares what the index that a branch uses has of it with the records. Reads both as a whole.
     *
     * @param branch name of a live branch
     */
    Comparison compare(String branch);

    /**
     * What a comparison found.
     *
     * @param compared false where no index serves the branch, so that every search of it reads the records
     * @param difference the first one, for a person; null when there is none
     */
    record Comparison(boolean compared, @Nullable String difference) {
        public static final Comparison NOTHING = new Comparison(false, null);
    }
}
