package service.projection.search.index;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.port.Branch;
import service.projection.temporal.Chain;

/**
 * The indexes that a view reads, each kept open until {@link #give}.
 *
 * @param links for each link of the chain of the view; null where there is none. That of {@code main}, the last, is
 *     there
 */
record LinkIndexes(List<Link> links) {
    /**
     * An index of a link.
     *
     * @param branch its name
     */
    record Link(@Nullable IndexSnapshot snapshot, String branch) {
        static final Link NONE = new Link(null, "none");
    }

    /** An index of {@code main} alone. */
    static LinkIndexes ofMain(Chain chain, IndexSnapshot snapshot) {
        List<Link> links = new ArrayList<>(Collections.nCopies(chain.length() - 1, Link.NONE));
        links.add(new Link(snapshot, Branch.MAIN));
        return new LinkIndexes(links);
    }

    @Nullable
    IndexSnapshot at(int link) {
        return links.get(link).snapshot;
    }

    /** Those that are there, in the order of the links. */
    List<IndexSnapshot> snapshots() {
        return links.stream()
                .map(Link::snapshot)
                .filter(java.util.Objects::nonNull)
                .toList();
    }

    /** The branches that have documents. */
    List<String> names() {
        List<String> names = links.stream()
                .filter(link -> link.snapshot != null && !link.snapshot.leaves().isEmpty())
                .map(Link::branch)
                .collect(Collectors.toList());
        return names.isEmpty() ? List.of("none") : names;
    }

    /** Lets them be closed. */
    void give() {
        snapshots().forEach(IndexSnapshot::give);
    }
}
