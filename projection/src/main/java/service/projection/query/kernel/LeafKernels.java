package service.projection.query.kernel;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.TextColumn;
import service.core.schema.Catalog;
import service.core.value.Direction;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Kernels at the leaves of an expression: constants, properties, ids, types, ends, entities. */
final class LeafKernels {
    private LeafKernels() {}

    /** The same value in every row. */
    static final class Constant extends Kernel {
        final Value value;
        final Column column;
        private int rows = 1;

        Constant(Value value, Column column) {
            this.value = value;
            this.column = column;
            column.reset(1);
            ColumnValues.set(column, 0, value);
        }

        @Override
        public Column eval(Batch batch) {
            if (batch.size > rows) {
                rows = Column.CAPACITY;
                ColumnValues.spread(column);
            }
            return column;
        }
    }

    /** A kernel over entities, mostly those of a slot, that keeps its result for the current batch. */
    abstract static class OfEntities extends Kernel {
        final ExecutionBudget budget;
        private final Kernel entities;
        private final Column result;
        private @Nullable Batch lastBatch;
        private long lastVersion;

        OfEntities(ExecutionBudget budget, Kernel entities, Column result) {
            super(entities);
            this.budget = budget;
            this.entities = entities;
            this.result = budget.own(result);
        }

        @Override
        public final Column eval(Batch batch) {
            if (batch != lastBatch || batch.version != lastVersion) {
                EntityColumn of = (EntityColumn) entities.eval(batch);
                result.reset(batch.size);
                fill(of, batch.size, result);
                lastBatch = batch;
                lastVersion = batch.version;
            }
            return result;
        }

        abstract void fill(EntityColumn rows, int size, Column into);
    }

    /** Reads a property of entities of one type. */
    static final class PropertyOfOneType extends OfEntities {
        private final int property;

        PropertyOfOneType(ExecutionBudget budget, int slot, int property, Column result) {
            super(budget, new OfVariable(slot), result);
            this.property = property;
        }

        @Override
        void fill(EntityColumn rows, int size, Column into) {
            budget.view.read(property, rows, size, into);
        }
    }

    /** Reads a property of entities of several types: one type at a time, as the view requires. */
    static final class PropertyOfTypes extends OfEntities {
        private final Map<Integer, Integer> identityByType;
        private final EntityColumn ofOneType;
        private final Column values;
        private final int[] places;

        PropertyOfTypes(ExecutionBudget budget, Kernel entities, Map<Integer, Integer> identityByType, Column result) {
            super(budget, entities, result);
            this.places = budget.rowNumbers();
            this.identityByType = identityByType;
            this.ofOneType = budget.own(new EntityColumn());
            this.values = result.sibling();
        }

        @Override
        void fill(EntityColumn rows, int size, Column into) {
            for (int row = 0; row < size; row++) {
                into.setNull(row);
            }
            identityByType.forEach((type, property) -> fillType(type, property, rows, size, into));
        }

        private void fillType(int type, int property, EntityColumn rows, int size, Column into) {
            int n = 0;
            ofOneType.reset(0);
            for (int row = 0; row < size; row++) {
                if (!rows.isNull(row) && rows.types[row] == type) {
                    places[n] = row;
                    ofOneType.set(n, type, rows.ordinals[row], rows.records[row]);
                    n++;
                }
            }
            if (n == 0) {
                return;
            }
            values.reset(n);
            budget.view.read(property, ofOneType, n, values);
            for (int i = 0; i < n; i++) {
                // Keeps the record handle that the view has found, for reads of other properties.
                rows.records[places[i]] = ofOneType.records[i];
                into.clearNull(places[i]);
                into.copy(values, i, places[i]);
            }
        }
    }

    /** {@code @id}. */
    static final class Id extends OfEntities {
        Id(ExecutionBudget budget, Kernel entities) {
            super(budget, entities, new TextColumn());
        }

        @Override
        void fill(EntityColumn rows, int size, Column into) {
            into.addNulls(rows);
            budget.view.ids(rows, size, into);
        }
    }

    /** {@code @type}. */
    static final class TypeName extends OfEntities {
        TypeName(ExecutionBudget budget, Kernel entities) {
            super(budget, entities, new TextColumn());
        }

        @Override
        void fill(EntityColumn rows, int size, Column into) {
            names(budget, rows, size, (TextColumn) into);
        }
    }

    /** The names of the types of entities. */
    private static void names(ExecutionBudget budget, EntityColumn rows, int size, TextColumn into) {
        Catalog catalog = budget.view.catalog();
        for (int row = 0; row < size; row++) {
            if (rows.isNull(row)) {
                into.setNull(row);
            } else {
                into.set(row, catalog.requireType(rows.types[row]).name());
            }
        }
    }

    /** {@code @src} and {@code @dst}, or their types. */
    static final class End extends OfEntities {
        private final EntityColumn sources;
        private final EntityColumn destinations;
        private final EntityColumn nodes;
        private final boolean ofType;

        End(ExecutionBudget budget, Kernel entities, Direction end, boolean ofType) {
            super(budget, entities, new TextColumn());
            this.destinations = budget.own(new EntityColumn());
            this.sources = budget.own(new EntityColumn());
            this.nodes = end == Direction.OUT ? sources : destinations;
            this.ofType = ofType;
        }

        @Override
        void fill(EntityColumn rows, int size, Column into) {
            budget.view.endpoints(rows, size, sources, destinations);
            nodes.addNulls(rows);
            if (ofType) {
                names(budget, nodes, size, (TextColumn) into);
            } else {
                into.addNulls(rows);
                budget.view.ids(nodes, size, into);
            }
        }
    }

    /** The entities or the values of a variable. */
    static final class OfVariable extends Kernel {
        private final int slot;

        OfVariable(int slot) {
            this.slot = slot;
        }

        @Override
        public Column eval(Batch batch) {
            return batch.column(slot);
        }
    }

    /** The items that a loop is at. */
    static final class Local extends Kernel {
        private final int depth;

        Local(int depth) {
            this.depth = depth;
        }

        @Override
        public Column eval(Batch batch) {
            return batch.locals[depth];
        }
    }

    /** A column that an operator before this one has computed. */
    static final class Computed extends Kernel {
        private final int index;

        Computed(int index) {
            this.index = index;
        }

        @Override
        public Column eval(Batch batch) {
            return batch.computed[index];
        }
    }
}
