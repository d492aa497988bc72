package service.core.graph.request;

import service.core.event.ChangeCounts;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Stamp;
import service.core.value.Ulid;

/**
 * A commit as callers see it ({@code http.md} §4, record <i>commit</i>). It leaves out the header's schema and receipt,
 * so that a page of commits is small.
 */
public record CommitRecord(Stamp stamp, Ulid id, CommitKind kind, CommitHeader.Lineage lineage, ChangeCounts counts) {
    public static CommitRecord of(CommitHeader header) {
        return new CommitRecord(header.stamp(), header.id(), header.kind(), header.lineage(), header.counts());
    }

    public long logOffset() {
        return stamp.offset();
    }
}
