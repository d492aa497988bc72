package service.projection.view;

import java.util.List;
import org.agrona.ExpandableDirectByteBuffer;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.schema.Constraint;
import service.core.schema.IndexDefinition;
import service.core.value.TaggedValue;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.projection.table.IndexTable;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/**
 * Walks the postings of a range of an index. Keys are compared as bytes; for postings with a truncated text the record
 * is compared.
 */
final class IndexScan implements GraphView.Scan {
    private final TableAccess access;
    private boolean closed;
    private final ProjectionView view;
    private final TemporalCursor cursor;
    private final IndexDefinition index;
    private final IndexRange range;

    /** Walks keys that begin with the bytes of the equal members, from {@code first} through {@code last}. */
    private final KeyBuffer first;

    private final KeyBuffer last;
    private final boolean bounded;
    private boolean lastIncluded;
    private final ExpandableDirectByteBuffer tagged = new ExpandableDirectByteBuffer(64);
    private boolean done;

    IndexScan(TableAccess access, ProjectionView view, Chain chain, IndexDefinition index, IndexRange range) {
        this.access = access;
        this.view = view;
        this.index = index;
        this.range = range;
        this.first = access.takeKey();
        this.last = access.takeKey();
        this.bounded = range.high() != null;
        this.cursor = access.temporal(ProjectionTable.INDEX, chain);
        try {
            begin();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void begin() {
        int textMax = IndexTable.textMax(index.members().size());
        IndexTable.start(first, index.identity());
        IndexTable.start(last, index.identity());
        for (int i = 0; i < range.equal().size(); i++) {
            putMember(first, i, range.equal().get(i), textMax);
        }
        int scope = first.length();
        last.copy(first, scope);
        if (range.prefix() != null) {
            scope = putPrefix(range.prefix(), textMax);
        } else {
            if (range.low() != null) {
                boolean cut = putMember(first, range.equal().size(), range.low(), textMax);
                if (cut) {
                    first.truncate(first.length() - Long.BYTES);
                }
            }
            if (range.high() != null) {
                boolean cut = putMember(last, range.equal().size(), range.high(), textMax);
                lastIncluded = range.highInclusive() || cut;
                if (cut) {
                    last.truncate(last.length() - Long.BYTES);
                }
            }
        }
        cursor.seek(first, scope);
    }

    private int putPrefix(String prefix, int textMax) {
        int length = putTagged(new Value.Text(prefix));
        IndexTable.putText(first, tagged.addressOffset() + 1, length - 1, textMax);
        return first.length();
    }

    private boolean putMember(KeyBuffer key, int member, Value value, int textMax) {
        int property = index.members().get(member);
        if (property == Constraint.SRC || property == Constraint.DST) {
            IndexTable.putEnd(key, ((Value.Int) value).value());
            return false;
        }
        int length = putTagged(value);
        return IndexTable.putValue(key, tagged.addressOffset(), length, textMax);
    }

    private int putTagged(Value value) {
        return TaggedValue.put(tagged, 0, value);
    }

    @Override
    public int next(EntityColumn into) {
        into.reset(0);
        int size = 0;
        while (size < Column.CAPACITY && !done && cursor.next()) {
            long member = cursor.memberAddress();
            int valuesLength = cursor.memberLength() - Integer.BYTES;
            if (pastLast(member, valuesLength)) {
                done = true;
                break;
            }
            int flags = MappedBytes.byteAt(cursor.valueAddress());
            if ((flags & IndexTable.LIVE) == 0 || excludedLow(member, valuesLength)) {
                continue;
            }
            int ordinal = MappedBytes.keyIntAt(member + valuesLength);
            if ((flags & IndexTable.CUT) != 0 && !recordLies(ordinal)) {
                continue;
            }
            into.set(size++, index.typeIdentity(), ordinal, EntityColumn.NO_RECORD);
        }
        return size;
    }

    private boolean pastLast(long member, int valuesLength) {
        if (!bounded) {
            return false;
        }
        boolean begins = valuesLength >= last.length() && MappedBytes.same(member, last.address(), last.length());
        if (begins) {
            return !lastIncluded;
        }
        return MappedBytes.compare(member, valuesLength, last.address(), last.length()) > 0;
    }

    /**
     * Whether the member of the posting equals an exclusive lower bound. If the bound is truncated, the record is
     * compared.
     */
    private boolean excludedLow(long member, int valuesLength) {
        return range.low() != null
                && !range.lowInclusive()
                && !endsInCutMark(first)
                && valuesLength >= first.length()
                && MappedBytes.same(member, first.address(), first.length());
    }

    private boolean endsInCutMark(KeyBuffer key) {
        return range.low() instanceof Value.Text && MappedBytes.byteAt(key.address() + key.length() - 1) != 0;
    }

    private boolean recordLies(int ordinal) {
        List<@Nullable Value> values = view.values(index.typeIdentity(), ordinal, index.members());
        for (int i = 0; i < range.equal().size(); i++) {
            Value value = values.get(i);
            if (value == null || !ValueOrder.equal(value, range.equal().get(i))) {
                return false;
            }
        }
        if (range.equal().size() == index.members().size()) {
            return true;
        }
        Value next = values.get(range.equal().size());
        return next != null && liesBetween(next);
    }

    private boolean liesBetween(Value value) {
        if (range.prefix() != null) {
            return value instanceof Value.Text text && text.value().startsWith(range.prefix());
        }
        if (range.low() != null) {
            int order = ValueOrder.compare(value, range.low());
            if (order < 0 || (order == 0 && !range.lowInclusive())) {
                return false;
            }
        }
        if (range.high() != null) {
            int order = ValueOrder.compare(value, range.high());
            return order < 0 || (order == 0 && range.highInclusive());
        }
        return true;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        access.release(ProjectionTable.INDEX, cursor);
        access.give(first);
        access.give(last);
    }
}
