package service.log.format;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;
import service.core.event.EncodedEvent;
import service.core.event.Event;
import service.core.event.EventFormatException;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.group.LogTail;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;

/** Writes each group to the environment of the log in one transaction, which ends with an fsync. */
final class LmdbGroupSink implements GroupSink {
    /** The two possible ends of the log after a group whose outcome is unknown. */
    private record Unsettled(LogTail before, LogTail after, RuntimeException cause) {}

    private final EventLog log;
    private final KeyBuffer key = new KeyBuffer();
    private @Nullable Unsettled unsettled;
    private @Nullable Transaction current;

    LmdbGroupSink(EventLog log) {
        this.log = log;
    }

    @Override
    @MustBeClosed
    @SuppressWarnings("MustBeClosedChecker") // closed by the group
    public Transaction begin(EncodedGroup group) {
        if (unsettled != null) {
            throw new IllegalStateException(log.directory() + ": the outcome of the last group is unknown");
        }
        Transaction opened = new Transaction(group, log.environment().write());
        current = opened;
        return opened;
    }

    /** The transaction of the open group. */
    Txn<DirectBuffer> openTransaction() {
        Transaction open = current;
        if (open == null) {
            throw new IllegalStateException(log.directory() + ": no group is open");
        }
        return open.txn();
    }

    @Override
    public Outcome settle() {
        Unsettled open = unsettled;
        if (open == null) {
            throw new IllegalStateException(log.directory() + ": no outcome is unknown");
        }
        LogTail found;
        try {
            found = log.reloadTail();
        } catch (LmdbException e) {
            return new Outcome.Unknown(StorageFailure.of(e, log.directory()));
        } catch (RuntimeException e) {
            return new Outcome.Unknown(e);
        }
        if (isSame(found, open.after)) {
            unsettled = null;
            return new Outcome.Durable();
        }
        if (isSame(found, open.before)) {
            unsettled = null;
            return new Outcome.Refused(open.cause);
        }
        return new Outcome.Unknown(
                EventFormatException.damaged(found.offset(), "it ends neither before nor after the last group"));
    }

    private static boolean isSame(LogTail one, LogTail other) {
        return one.offset() == other.offset() && Arrays.equals(one.hash(), other.hash());
    }

    /** A group and its open transaction. */
    final class Transaction implements OpenGroup {
        private final EncodedGroup group;
        private final WriteTransaction write;
        private int staged;
        private @Nullable Retention reclaimed;

        private Transaction(EncodedGroup group, WriteTransaction write) {
            this.group = group;
            this.write = write;
        }

        /** For marks that become durable with the group. */
        Txn<DirectBuffer> txn() {
            return write.txn();
        }

        /** The transaction belongs to the writer thread; another thread borrows it. */
        @Override
        public void stage() {
            write.borrow(this::stageRest);
        }

        private void stageRest() {
            try {
                while (staged < group.parts().size()) {
                    put(group.parts().get(staged));
                    staged++;
                }
            } catch (LmdbException e) {
                throw StorageFailure.of(e, log.directory());
            }
        }

        private void put(EncodedGroup.Part part) {
            EncodedEvent encoded = part.event();
            Event event = encoded.event();
            DirectBuffer place = log.events()
                    .reserve(
                            write.txn(),
                            key.clear().putLong(event.offset()).key(),
                            encoded.length(),
                            PutFlags.MDB_APPEND);
            encoded.copyTo((MutableDirectBuffer) place);
            if (event instanceof Event.BranchCreated created) {
                log.marks().put(write.txn(), LogTables.INCARNATIONS, LogMarks.intBytes(created.incarnation() + 1));
            }
            if (event instanceof Event.HistoryReclaimed marks) {
                reclaimed = log.marks().reclaim(write.txn(), reclaimed == null ? log.retention() : reclaimed, marks);
            }
            part.forEachBlob(blob -> BlobTable.put(write.txn(), log.blobs(), key, blob, part.staged(), event.offset()));
        }

        /**
         * A full map is found before anything is written. Every other failure of the commit may come after the last
         * write, so the outcome is unknown.
         */
        @Override
        public Outcome write(Progress progress) {
            try {
                stage();
            } catch (RuntimeException e) {
                return new Outcome.Refused(e);
            }
            try {
                write.commit();
            } catch (RuntimeException e) {
                if (e instanceof StorageFailure failure && failure.kind() == StorageFailure.Kind.MAP_FULL) {
                    return new Outcome.Refused(e);
                }
                unsettled = new Unsettled(group.before(), group.tail(), e);
                return new Outcome.Unknown(e);
            }
            log.committed(group.tail(), reclaimed);
            return new Outcome.Durable();
        }

        @Override
        public void close() {
            write.close();
            if (equals(current)) {
                current = null;
            }
        }
    }
}
