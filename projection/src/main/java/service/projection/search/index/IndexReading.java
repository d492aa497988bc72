package service.projection.search.index;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.port.GraphView;
import service.core.port.TextIndex;

/** Reads indexes for one view, where they have a property as its schema wants it and the view does not differ much. */
final class IndexReading {
    /** From so many touched entities on a search reads all records, unless that is a small part of them. */
    private static final int TOUCHED_MIN = 1_000;

    private static final int TOUCHED_PART = 10;

    final GraphView view;
    final LinkIndexes indexes;
    final Difference difference;
    final SearchMemory memory;
    private final List<IndexedField> fields;
    private final Consumer<Exception> failed;
    private boolean isClosed;

    /**
     * @param indexes are given back by {@link #close}
     * @param difference of the view from them, taken from the memory; {@link #close} gives it back
     * @param fields of the schema of the view
     * @param failed is told when an index cannot be read
     */
    IndexReading(
            GraphView view,
            LinkIndexes indexes,
            Difference difference,
            SearchMemory memory,
            List<IndexedField> fields,
            Consumer<Exception> failed) {
        this.view = view;
        this.indexes = indexes;
        this.difference = difference;
        this.memory = memory;
        this.fields = fields;
        this.failed = failed;
    }

    /** {@link TextIndex#coverage}. */
    TextIndex.@Nullable Coverage coverage(int type, int property) {
        return field(type, property) == null
                ? null
                : new TextIndex.Coverage(indexes.names(), difference.touched(type).length);
    }

    /** A step of a search that reads the indexes. */
    interface Step<T> {
        @Nullable
        T read(IndexedField field) throws IOException;
    }

    /** The field of a property; null where the records have to be read. */
    @Nullable
    IndexedField field(int type, int property) {
        IndexedField field = isClosed ? null : IndexedField.find(fields, type, property);
        if (field == null || !isIndexed(field)) {
            return null;
        }
        int touched = difference.touched(type).length;
        return touched > TOUCHED_MIN && touched > view.count(type) / TOUCHED_PART ? null : field;
    }

    /** Whether all indexes have the values of a field as the schema of the view wants them. */
    private boolean isIndexed(IndexedField field) {
        for (IndexPart part : difference.parts()) {
            IndexedField indexed = IndexedField.find(
                    part.snapshot().fields(), field.type(), field.property().identity());
            if (indexed == null || !field.mark().equals(indexed.mark())) {
                return false;
            }
        }
        return true;
    }

    /** What a step gives; null, too, when an index cannot be read: the records are there. */
    <T> @Nullable T of(int type, int property, Step<T> step) {
        IndexedField field = field(type, property);
        if (field == null) {
            return null;
        }
        try {
            return step.read(field);
        } catch (IOException e) {
            failed.accept(e);
            return null;
        }
    }

    void close() {
        if (!isClosed) {
            isClosed = true;
            memory.give(difference);
            indexes.give();
        }
    }
}
