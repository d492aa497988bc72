package service.core.graph.branch;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.event.CommitHeader;
import service.core.event.Event;
import service.core.event.Origin;
import service.core.graph.request.Budgets;
import service.core.graph.request.CommitRefs;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.TagPage;
import service.core.graph.request.TagRecord;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.ReadPoint;
import service.core.port.Tag;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;

/**
 * Names commits ({@code docs/branches.md}). A tag belongs to the branch on which its commit was made: who may read that
 * branch sees it, and the rights to create and delete branches decide on it.
 */
public final class Tags {
    /** Each tag keeps a state from cleanup, so their number is bounded. */
    public static final int TAGS_MAX = 10_000;

    /** The number of tags that one answer lists at most. */
    public static final int LIMIT_MAX = 1_000;

    private static final int NAMES_COMPARED_MAX = 128;

    private final GraphStorage storage;
    private final CommitLog log;

    /** @param log takes the writes */
    public Tags(GraphStorage storage, CommitLog log) {
        this.storage = storage;
        this.log = log;
    }

    /**
     * The tags that a caller may see, by name.
     *
     * @param after begin after this name, which need not exist; null for the first
     */
    public TagPage list(Caller caller, int limit, @Nullable String after) {
        try (GraphSession session = storage.session()) {
            List<TagRecord> tags = session.tags(after, Integer.MAX_VALUE).stream()
                    .filter(tag -> caller.may(Action.READ, tag.branch()))
                    .limit(limit + 1L)
                    .map(TagRecord::of)
                    .toList();
            return tags.size() <= limit
                    ? new TagPage(tags, null)
                    : new TagPage(tags.subList(0, limit), tags.get(limit - 1).name());
        }
    }

    public TagRecord get(Caller caller, String name) {
        try (GraphSession session = storage.session()) {
            return TagRecord.of(visible(session, name, caller));
        }
    }

    private static Tag visible(GraphSession session, String name, Caller caller) {
        Tag tag = CommitRefs.tag(session, name, caller);
        if (tag == null) {
            String meant = Suggestion.didYouMean(
                    name,
                    session.tags(null, NAMES_COMPARED_MAX).stream()
                            .filter(other -> caller.may(Action.READ, other.branch()))
                            .map(Tag::name)
                            .toList());
            throw ServiceException.notFound(
                    Reason.TAG, "tag `" + name + "` does not exist" + (meant == null ? "" : "; " + meant));
        }
        return tag;
    }

    /**
     * Names a commit. The message of the terms is that of the tag.
     *
     * @param ref of a commit that the caller may read, and whose state is there
     */
    public CompletableFuture<TagRecord> create(WriteTerms terms, String name, String ref, TimeBudget time) {
        Branches.checkName("tag", name);
        if (name.equals(Branch.MAIN)) {
            throw ServiceException.badRequest("tag name `main` would make the branch of that name ambiguous");
        }
        WriteKey<TagRecord> key = WriteKey.of(
                terms,
                new RequestDigest("tag create")
                        .add(name)
                        .add(ref)
                        .add(terms.options().note()),
                new TagReceipts(true));
        CommitHeader commit;
        try (GraphSession session = storage.session()) {
            TagRecord first = WriteKey.replayed(key, session, Budgets.nowMicros());
            if (first != null) {
                return CompletableFuture.completedFuture(first);
            }
            commit = CommitRefs.resolve(session, ref, terms.caller(), time);
        }
        terms.require(Action.BRANCH_CREATE, commit.branch());
        return log.submit(
                session -> WriteKey.once(key, session, () -> decideCreate(session, terms.origin(), name, commit, key)));
    }

    private static WriteCommand.Decision<TagRecord> decideCreate(
            WriteSession session, Origin origin, String name, CommitHeader commit, @Nullable WriteKey<TagRecord> key) {
        if (session.tag(name) != null) {
            throw ServiceException.conflict(Reason.EXISTS, "tag `" + name + "` exists already; choose another name");
        }
        if (session.tagCount() >= TAGS_MAX) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "a graph has at most " + TAGS_MAX + " tags: delete one that is not needed any more",
                    new ErrorDetail.ResourceLimit("tags", TAGS_MAX, TAGS_MAX + 1L));
        }
        Targets.requireState(session, new ReadPoint(commit.incarnation(), commit.offset()));
        String message = origin.note() == null ? null : origin.note().message();
        TagRecord made = new TagRecord(name, commit.id(), message, 0, origin.actor(), false);
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.CreateTag(
                        name, commit.id(), commit.incarnation(), origin, WriteKey.entry(key, made)),
                Tags::created);
    }

    private static TagRecord created(Event event) {
        Event.TagCreated tag = (Event.TagCreated) event;
        return new TagRecord(tag.name(), tag.commit(), tag.message(), tag.timeMicros(), tag.actor(), false);
    }

    /** Deletes a tag; returns it as it was. */
    public CompletableFuture<TagRecord> delete(WriteTerms terms, String name) {
        WriteKey<TagRecord> key = WriteKey.of(terms, new RequestDigest("tag delete").add(name), new TagReceipts(false));
        Tag seen;
        try (GraphSession session = storage.session()) {
            TagRecord first = WriteKey.replayed(key, session, Budgets.nowMicros());
            if (first != null) {
                return CompletableFuture.completedFuture(first);
            }
            seen = visible(session, name, terms.caller());
        }
        terms.require(Action.BRANCH_DELETE, seen.branch());
        return log.submit(session -> WriteKey.once(key, session, () -> {
            // A tag that was deleted since, and made again, may be of another branch.
            Tag tag = session.tag(name);
            if (!seen.equals(tag)) {
                throw ServiceException.notFound(Reason.TAG, "tag `" + name + "` does not exist");
            }
            TagRecord record = TagRecord.of(seen);
            return new WriteCommand.Decision.Append<>(
                    new WriteCommand.Draft.DeleteTag(seen, terms.origin(), WriteKey.entry(key, record)),
                    event -> record);
        }));
    }
}
