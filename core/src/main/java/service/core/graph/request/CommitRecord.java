package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeCounts;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Stamp;
import service.core.event.TakenSides;
import service.core.value.Ulid;

/**
 * A commit as callers see it ({@code docs/http.md}, Records). It leaves out the header's schema and receipt, so that a
 * page of commits is small.
 *
 * @param sides what the resolutions of a merge took; null without resolutions
 * @param showsEntities whether the record shows the entities of {@code sides}, besides their number
 * @param types its changes by type; null where they were not asked for, and where cleanup has reclaimed them
 */
public record CommitRecord(
        Stamp stamp,
        Ulid id,
        CommitKind kind,
        CommitHeader.Lineage lineage,
        ChangeCounts counts,
        @Nullable TakenSides sides,
        boolean showsEntities,
        @Nullable List<TypeChanges> types) {
    /** The commit as it stands in a page of commits and in the answer to a write: without the list of its sides. */
    public static CommitRecord of(CommitHeader header) {
        TakenSides sides = header.sides();
        return record(header, sides == null ? null : new TakenSides(sides.source(), sides.target(), ""), false);
    }

    /** The commit with the entities for which a resolution took a side. */
    public static CommitRecord whole(CommitHeader header) {
        return record(header, header.sides(), true);
    }

    private static CommitRecord record(CommitHeader header, @Nullable TakenSides sides, boolean showsEntities) {
        return new CommitRecord(
                header.stamp(),
                header.id(),
                header.kind(),
                header.lineage(),
                header.counts(),
                sides,
                showsEntities,
                null);
    }

    /** The commit with its changes by type. */
    public CommitRecord withTypes(List<TypeChanges> changes) {
        return new CommitRecord(stamp, id, kind, lineage, counts, sides, showsEntities, List.copyOf(changes));
    }

    public long logOffset() {
        return stamp.offset();
    }
}
