package service.projection.query.operator;

import java.util.Arrays;
import service.core.batch.EntityColumn;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * Joins each row with the matches of a block that runs once for all rows of a batch with the same entities in some
 * slots, which are rows of one kind. The block finds the entities of further slots by itself, and each match is joined
 * with the rows of its kind that hold them. So the messages of a person are read once, not once for each friend to whom
 * the person may have replied.
 */
public final class SharedOperators {
    private SharedOperators() {}

    /** Takes the rows, and gives the first row of each kind to the block. */
    public static final class Share extends Operator {
        private final Sources.Outer block;
        private final Rejoin rejoin;
        private final int[] by;
        private final Batch kinds;
        private final int[] firsts;
        private final Operator next;

        /** @param by the slots in which rows of one kind are equal, which are all that the block reads */
        public Share(Sources.Outer block, Rejoin rejoin, int[] by, Downstream down) {
            this.block = block;
            this.rejoin = rejoin;
            this.by = by;
            this.kinds = down.batch();
            this.firsts = down.budget().rowNumbers();
            this.next = down.next();
        }

        @Override
        public boolean push(Batch batch) {
            rejoin.begin(batch);
            int n = 0;
            for (int row = 0; row < batch.size; row++) {
                if (rejoin.link(by, row) == n) {
                    firsts[n++] = row;
                }
            }
            kinds.clear(by);
            kinds.append(batch, firsts, n, by);
            block.feed(kinds);
            return rejoin.more;
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    /**
     * The end of the block. Rows are found in a trie of their entities, first those of the kind. Its nodes are numbers
     * of pairs of a node, 0 for the root, and the code of an entity.
     */
    public static final class Rejoin extends Operator {
        private final ExecutionBudget budget;
        private final int[] on;
        private final int[] ofRow;
        private final int[] ofMatch;

        /** For each slot that rows and matches are joined on, the type whose entities have their ordinals as codes. */
        private final int[] plainTypes;

        /** The other entities. */
        private final LongTable entities;

        private final LongTable nodes;
        private final LongTable kinds;

        /** For each node the last row in it plus 1, and for each row the one before it in its node. */
        private int[] lastRow = new int[64];

        private final int[] rowBefore;
        private final int[] rows;
        private final int[] matches;
        private final Batch out;
        private final Operator next;
        private Batch outer;

        /** The kind of the last row, and its node. */
        private int kind;

        private long kindNode;
        private boolean more = true;

        /**
         * @param on the slots that the block fills and the rows hold
         * @param filled the slots that the block alone fills
         */
        public Rejoin(int[] on, int[] filled, Downstream down) {
            this.budget = down.budget();
            this.on = on;
            this.plainTypes = new int[on.length];
            this.ofRow = down.carriedSlots(filled);
            this.ofMatch = Arrays.stream(filled).filter(down::reads).toArray();
            this.entities = new LongTable(budget);
            this.nodes = new LongTable(budget);
            this.kinds = new LongTable(budget);
            this.rowBefore = budget.rowNumbers();
            this.rows = budget.rowNumbers();
            this.matches = budget.rowNumbers();
            this.out = down.batch();
            this.next = down.next();
            this.outer = out;
        }

        private void begin(Batch batch) {
            outer = batch;
            more = true;
            entities.clear();
            nodes.clear();
            kinds.clear();
            for (int i = 0; i < on.length; i++) {
                plainTypes[i] = batch.size == 0 ? 0 : batch.slot(on[i]).types[0];
            }
        }

        /**
         * Adds a row to the trie.
         *
         * @return the number of its kind; kinds are numbered as they first occur
         */
        private int link(int[] by, int row) {
            if (row == 0 || !isOfKindBefore(by, row)) {
                long node = 0;
                for (int slot : by) {
                    node = 1L + nodes.add(node << 32 | entities.add(entity(outer, slot, row)));
                }
                kindNode = node;
                kind = kinds.add(node);
            }
            long node = kindNode;
            int before = nodes.size();
            for (int i = 0; i < on.length; i++) {
                node = 1L + nodes.add(node << 32 | code(i, row));
            }
            lastRow = budget.withRoom(lastRow, (int) node);
            rowBefore[row] = nodes.size() == before ? lastRow[(int) node] : 0;
            lastRow[(int) node] = row + 1;
            return kind;
        }

        /** Whether a row is of the same kind as the one before it, which most are that come from one row. */
        private boolean isOfKindBefore(int[] by, int row) {
            for (int slot : by) {
                if (entity(outer, slot, row) != entity(outer, slot, row - 1)) {
                    return false;
                }
            }
            return true;
        }

        /** The code of an entity of a row: 32 bits, of which the first is set but for those of the plain type. */
        private long code(int i, int row) {
            EntityColumn column = outer.slot(on[i]);
            return column.types[row] == plainTypes[i] && !column.isNull(row)
                    ? column.ordinals[row]
                    : Integer.toUnsignedLong(~entities.add(entity(outer, on[i], row)));
        }

        /** The code of an entity of a match; −1 when no row holds the entity. */
        private long codeOfMatch(Batch batch, int i, int match) {
            EntityColumn column = batch.slot(on[i]);
            if (column.types[match] == plainTypes[i] && !column.isNull(match)) {
                return column.ordinals[match];
            }
            int number = entities.find(entity(batch, on[i], match));
            return number < 0 ? -1 : Integer.toUnsignedLong(~number);
        }

        /** The number of an entity; −1 for null, which no match holds. */
        private static long entity(Batch batch, int slot, int row) {
            EntityColumn column = batch.slot(slot);
            return column.isNull(row) ? -1 : MeetOperator.key(column.types[row], column.ordinals[row]);
        }

        @Override
        public boolean push(Batch batch) {
            int n = 0;
            for (int match = 0; match < batch.size; match++) {
                for (int row = find(batch, match); row > 0; row = rowBefore[row - 1]) {
                    rows[n] = row - 1;
                    matches[n++] = match;
                    if (n == rows.length && !emit(batch, n)) {
                        return false;
                    }
                    n = n == rows.length ? 0 : n;
                }
            }
            return n == 0 ? more : emit(batch, n);
        }

        /** The last row that a match is joined with, plus 1. */
        private int find(Batch batch, int match) {
            long node = kinds.key(batch.tags[match]);
            for (int i = 0; i < on.length; i++) {
                long code = codeOfMatch(batch, i, match);
                int found = code < 0 ? -1 : nodes.find(node << 32 | code);
                if (found < 0) {
                    return 0;
                }
                node = 1L + found;
            }
            return lastRow[(int) node];
        }

        private boolean emit(Batch batch, int n) {
            budget.steps(n);
            out.clear(ofRow);
            out.clear(ofMatch);
            for (int slot : ofMatch) {
                out.gather(batch, slot, matches, n);
            }
            out.append(outer, rows, n, ofRow);
            more = next.push(out);
            return more;
        }

        @Override
        public void finish() {}
    }
}
