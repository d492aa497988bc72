package service.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.event.CommitKind;
import service.core.event.CommitReader;
import service.core.json.JsonWriter;
import service.core.value.CalendarText;
import service.core.value.Ulid;

/**
 * Writes the causes of blocks as JSON. Consecutive commits of one kind, branch and actor differ in their ids and times
 * only, and those have fixed lengths: from the second such commit on, they are replaced in the text of the one before.
 * A commit with a note is written piece by piece. One thread.
 */
final class CauseWriter {
    private static final byte[] COMMIT = JsonWriter.part("{\"graph_commit_id\":");
    private static final Map<CommitKind, byte[]> KIND_AND_PARENT = kinds();
    private static final byte[] MERGED_PARENT = JsonWriter.part("\"merged_parent_commit_id\":");
    private static final byte[] BRANCH = JsonWriter.part("\"authored_branch\":");
    private static final byte[] ACTOR = JsonWriter.part("\"actor_id\":");
    private static final byte[] TIME = JsonWriter.part("\"authored_at\":");

    private static final byte[] NOTHING = {};
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int FRACTION_DIGITS = 6;

    /** Index of the point after the seconds in a time. */
    private static final int SECOND_END = 19;

    private static final int ID_AT = COMMIT.length + 1;

    private final Predicate<String> showsBranch;

    /** The kind of the last commit; null unless it has a parent and no other one. */
    private @Nullable CommitKind kind;

    private byte[] branch = NOTHING;
    private boolean shown;
    private byte[] actor = NOTHING;

    private long idHigh;
    private long idLow;

    /** The text of the last commit; empty when it was written piece by piece. */
    private byte[] text = NOTHING;

    private int parentAt;
    private int timeAt;
    private long second;

    /**
     * @param showsBranch whether the reader of the blocks may read a branch; the name of any other is written as null.
     *     A fast-forward brings commits of the source into the history of the target
     */
    CauseWriter(Predicate<String> showsBranch) {
        this.showsBranch = showsBranch;
    }

    /** Asks again whether the branch of the next commit is shown. */
    void forgetBranch() {
        branch = NOTHING;
    }

    void write(CommitReader commit, JsonWriter json) {
        if (!isLikeLast(commit)) {
            remember(commit);
            writeParts(commit, json);
        } else {
            if (text.length == 0) {
                begin(commit);
            } else {
                replace(commit);
            }
            json.json(text);
        }
        idHigh = commit.idHigh();
        idLow = commit.idLow();
    }

    private boolean isLikeLast(CommitReader commit) {
        return commit.kind() == kind
                && !commit.hasNote()
                && hasParentOnly(commit)
                && hasSameBranch(commit)
                && hasSameActor(commit);
    }

    private static boolean hasParentOnly(CommitReader commit) {
        return commit.hasParent() && !commit.hasMergedParent();
    }

    private boolean hasSameBranch(CommitReader commit) {
        return isSame(commit.buffer(), commit.branchPosition(), commit.branchLength(), branch);
    }

    private boolean hasSameActor(CommitReader commit) {
        return isSame(commit.buffer(), commit.actorPosition(), actorLength(commit), actor);
    }

    /** An actor has a name of at least one byte. */
    private static int actorLength(CommitReader commit) {
        return commit.hasActor() ? commit.actorLength() : 0;
    }

    private static boolean isSame(DirectBuffer buffer, int position, int length, byte[] known) {
        boolean same = length == known.length;
        for (int i = 0; same && i < length; i++) {
            same = buffer.getByte(position + i) == known[i];
        }
        return same;
    }

    private void remember(CommitReader commit) {
        kind = hasParentOnly(commit) && !commit.hasNote() ? commit.kind() : null;
        if (!hasSameBranch(commit)) {
            branch = new byte[commit.branchLength()];
            commit.buffer().getBytes(commit.branchPosition(), branch);
            shown = showsBranch.test(new String(branch, StandardCharsets.UTF_8));
        }
        if (!hasSameActor(commit)) {
            actor = new byte[actorLength(commit)];
            commit.buffer().getBytes(commit.actorPosition(), actor);
        }
        text = NOTHING;
    }

    private void begin(CommitReader commit) {
        text = JsonWriter.bytes(json -> writeParts(commit, json));
        int kindLength = Objects.requireNonNull(KIND_AND_PARENT.get(commit.kind())).length;
        // The id, its quote, a comma, the kind, the quote of the parent.
        parentAt = ID_AT + Ulid.TEXT_LENGTH + 2 + kindLength + 1;
        timeAt = text.length - 2 - CalendarText.MICROS_LENGTH;
        second = second(commit);
    }

    private static long second(CommitReader commit) {
        return Math.floorDiv(commit.timeMicros(), MICROS_PER_SECOND);
    }

    private void replace(CommitReader commit) {
        if (commit.parentHigh() == idHigh && commit.parentLow() == idLow) {
            System.arraycopy(text, ID_AT, text, parentAt, Ulid.TEXT_LENGTH);
        } else {
            Ulid.putText(commit.parentHigh(), commit.parentLow(), text, parentAt);
        }
        Ulid.putText(commit.idHigh(), commit.idLow(), text, ID_AT);
        long now = second(commit);
        if (now != second) {
            second = now;
            CalendarText.putMicros(commit.timeMicros(), text, timeAt);
            return;
        }
        int rest = (int) (commit.timeMicros() - now * MICROS_PER_SECOND);
        for (int i = timeAt + SECOND_END + FRACTION_DIGITS; i > timeAt + SECOND_END; i--) {
            text[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    private void writeParts(CommitReader commit, JsonWriter json) {
        json.lead(COMMIT).ulid(commit.idHigh(), commit.idLow());
        json.lead(Objects.requireNonNull(KIND_AND_PARENT.get(commit.kind())));
        if (commit.hasParent()) {
            json.ulid(commit.parentHigh(), commit.parentLow());
        } else {
            json.nullValue();
        }
        json.lead(MERGED_PARENT);
        if (commit.hasMergedParent()) {
            json.ulid(commit.mergedParentHigh(), commit.mergedParentLow());
        } else {
            json.nullValue();
        }
        json.lead(BRANCH);
        if (shown) {
            json.utf8(branch, 0, branch.length);
        } else {
            json.nullValue();
        }
        json.lead(ACTOR);
        if (commit.hasActor()) {
            json.utf8(actor, 0, actor.length);
        } else {
            json.nullValue();
        }
        json.lead(TIME).micros(commit.timeMicros());
        WireRecords.note(json, commit.note());
        json.endObject();
    }

    private static Map<CommitKind, byte[]> kinds() {
        Map<CommitKind, byte[]> leads = new EnumMap<>(CommitKind.class);
        for (CommitKind kind : CommitKind.values()) {
            leads.put(kind, JsonWriter.part("\"kind\":\"%s\",\"parent_commit_id\":".formatted(kind.wireName())));
        }
        return leads;
    }
}
