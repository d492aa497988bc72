package service.core.graph.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.Event;
import service.core.event.IdempotencyKey;
import service.core.event.Origin;
import service.core.event.Stamp;
import service.core.json.Json;
import service.core.port.Branch;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.RememberedWrite;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;

/**
 * The idempotency key of a write ({@code docs/writes.md}): one mechanism for every kind of write.
 *
 * <p>Key, digest of the request and receipt are part of the event that the write appends, so that the log alone holds
 * them; a write that changes nothing appends an event that is not a commit. The projection finds the event again by
 * actor and key. A command looks the key up before its condition and before anything else that may have changed since,
 * inside the writer's transaction. Of two equal requests, therefore, one writes and the other returns the first one's
 * answer: the second in the queue has waited for the first.
 *
 * <p>The caller's thread looks the key up as well, before it compiles or parses: a repeat costs one look-up.
 *
 * @param <R> the answer of the write
 */
public final class WriteKey<R> {
    static final long REMEMBERED_MICROS = TimeUnit.HOURS.toMicros(24);
    static final long REMEMBERED_COMMITS = 100_000;

    private final @Nullable String actor;
    private final String key;
    private final byte[] digest;
    private final Receipts<R> receipts;

    private WriteKey(@Nullable String actor, String key, byte[] digest, Receipts<R> receipts) {
        this.actor = actor;
        this.key = key;
        this.digest = digest;
        this.receipts = receipts;
    }

    /** The key of a write; null when it has none. */
    public static <R> @Nullable WriteKey<R> of(WriteTerms terms, RequestDigest request, Receipts<R> receipts) {
        return terms.key() == null ? null : new WriteKey<>(terms.actor(), terms.key(), request.bytes(), receipts);
    }

    /** The same key for a write that is answered in another form. */
    public <S> WriteKey<S> with(Receipts<S> others) {
        return new WriteKey<>(actor, key, digest, others);
    }

    /**
     * The write that was done under a key.
     *
     * @param stamp of its event
     * @param receipt what the use-case stored in addition to the event
     * @param commit its commit; null when nothing changed
     */
    public record First(
            Stamp stamp,
            byte[] digest,
            JsonNode receipt,
            @Nullable CommitRecord commit) {
        /** Who wrote it; null where callers are not authenticated. */
        public @Nullable String actor() {
            return stamp.actor();
        }

        /** Throws CONFLICT unless the request is the one that used the key first. */
        public First requireSame(byte[] request, String key) {
            if (!Arrays.equals(digest, request)) {
                throw ServiceException.conflict(
                        Reason.IDEMPOTENCY_KEY,
                        "idempotency key `"
                                + key
                                + "` belongs to another request of yours; choose a new key for"
                                + " a new write");
            }
            return this;
        }
    }

    /** The actor's write under the key; null when none is remembered. */
    public static @Nullable First find(GraphSession session, long nowMicros, @Nullable String actor, String key) {
        RememberedWrite write = session.remembered(actor, key);
        if (write == null) {
            return null;
        }
        Event event = session.outline(write.offset());
        if (write.commitsSince() > REMEMBERED_COMMITS && nowMicros - event.timeMicros() > REMEMBERED_MICROS) {
            return null;
        }
        return switch (event) {
            case Event.Commit commit ->
                first(event, write, commit.header().idempotency(), CommitRecord.of(commit.header()));
            case Event.BranchFastForwarded moved -> first(event, write, moved.idempotency(), headOf(session, moved));
            case Event.WriteRemembered remembered -> first(event, write, remembered.idempotency(), null);
            case Event.TagCreated created -> first(event, write, created.idempotency(), null);
            case Event.TagDeleted deleted -> first(event, write, deleted.idempotency(), null);
            case Event.BranchCreated ignored -> throw noKey(write);
            case Event.BranchDeleted ignored -> throw noKey(write);
            case Event.HistoryReclaimed ignored -> throw noKey(write);
        };
    }

    private static CommitRecord headOf(GraphSession session, Event.BranchFastForwarded moved) {
        CommitPosition position = session.position(moved.newHead());
        if (position == null) {
            throw new IllegalStateException("no commit " + moved.newHead());
        }
        return CommitRecord.of(session.header(position.offset()));
    }

    private static First first(
            Event event, RememberedWrite write, @Nullable IdempotencyKey stored, @Nullable CommitRecord commit) {
        if (stored == null) {
            throw noKey(write);
        }
        return new First(
                event.stamp(), write.requestDigest(), Json.read(stored.receipt(), "the stored receipt"), commit);
    }

    private static IllegalStateException noKey(RememberedWrite write) {
        return new IllegalStateException("event " + write.offset() + " has no idempotency key");
    }

    /**
     * The answer to the earlier write of the same request; null when this is the first, or when it has no key.
     *
     * @throws ServiceException CONFLICT when another request has used the key
     */
    public static <R> @Nullable R replayed(@Nullable WriteKey<R> key, GraphSession session, long nowMicros) {
        First first = key == null ? null : find(session, nowMicros, key.actor, key.key);
        return key == null || first == null ? null : key.receipts.read(session, first.requireSame(key.digest, key.key));
    }

    /** Decides a write unless it was done before: a repeat gets the first answer. On the writer's thread. */
    public static <R> WriteCommand.Decision<R> once(
            @Nullable WriteKey<R> key, WriteSession session, Supplier<WriteCommand.Decision<R>> decide) {
        R first = replayed(key, session, session.nowMicros());
        return first == null ? decide.get() : new WriteCommand.Decision.Nothing<>(first);
    }

    /** The part of the key that a draft stores; null without a key. */
    public static <R> @Nullable IdempotencyKey entry(@Nullable WriteKey<R> key, R result) {
        return key == null ? null : key.entry(result);
    }

    private IdempotencyKey entry(R result) {
        return new IdempotencyKey(key, digest, receipts.write(result).toString());
    }

    /**
     * Decides a write that changes nothing: it is answered, and remembered if it has a key.
     *
     * @param branch any live branch that it refers to
     */
    public static <R> WriteCommand.Decision<R> unchanged(@Nullable WriteKey<R> key, Branch branch, R result) {
        return key == null
                ? new WriteCommand.Decision.Nothing<>(result)
                : new WriteCommand.Decision.Append<>(key.remember(branch, result), event -> result);
    }

    /** The draft that remembers a write whose own event cannot. */
    public WriteCommand.Draft remember(Branch branch, R result) {
        return new WriteCommand.Draft.Remember(branch, Origin.of(actor), entry(result));
    }
}
