package service.core.graph.request;

import org.jspecify.annotations.Nullable;
import service.core.event.ChangeCounts;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.value.Ulid;

/** A commit as callers see it ({@code http.md} §4, record <i>commit</i>). */
public record CommitRecord(
        Ulid id,
        long logOffset,
        CommitKind kind,
        String branch,
        @Nullable Ulid parent,
        @Nullable Ulid mergedParent,
        @Nullable String actor,
        long createdMicros,
        ChangeCounts counts) {
    public static CommitRecord of(CommitHeader header) {
        return new CommitRecord(
                header.id(),
                header.offset(),
                header.kind(),
                header.branch(),
                header.parent(),
                header.mergedParent(),
                header.actor(),
                header.timeMicros(),
                header.counts());
    }
}
