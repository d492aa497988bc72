package service.projection.query.operator;

import java.util.Arrays;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.value.HeapBytes;
import service.core.value.KeyedHash;
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
            rejoin.begin(batch, by);
            int n = 0;
            for (int row = 0; row < batch.size; row++) {
                if (rejoin.link(row) == n) {
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
     * The end of the block. Rows are found in a trie of their entities, whose roots are the kinds. A further node is
     * the number of a pair of a node and the code of an entity; these pairs often ascend, as {@link LongTable} wants
     * it. Most matches are joined with no row, and a bit says so of all but few of them.
     */
    public static final class Rejoin extends Operator {
        /** The bits that say whether a row may be found: so many that few of them are set, and few lines of a cache. */
        private static final int BITS = 1 << 15;

        private static final int BITS_SHIFT = KeyedHash.shift(BITS);

        /** The node of the first pair. */
        private static final int FIRST_NODE = Column.CAPACITY;

        private final ExecutionBudget budget;
        private final int[] on;
        private final int[] ofRow;
        private final int[] ofMatch;

        /** For each slot that rows and matches are joined on, the type whose entities have their ordinals as codes. */
        private final int[] plainTypes;

        /** The other entities. */
        private final LongTable entities;

        private final LongTable pairs;

        /** The trie of kinds alone: pairs as those above, and the pairs at its ends. */
        private final LongTable kindPairs;

        private final LongTable kinds;

        /** The bits of the hashes of pairs that begin with a kind. */
        private final long[] firstPairs = new long[BITS / Long.SIZE];

        private final int[] candidates;

        /** For each pair the last row in it plus 1, and for each row the one before it in its pair. */
        private int[] lastRow = new int[64];

        private final int[] rowBefore;
        private final int[] rows;
        private final int[] matches;
        private final Batch out;
        private final Operator next;
        private Batch outer;

        /** The slots of the rows: those in which rows of one kind are equal, and those that the block fills. */
        private EntityColumn[] kindColumns = {};

        private final EntityColumn[] onColumns;

        /** The kind of the last row. */
        private int kind;

        private boolean more = true;

        /**
         * @param on the slots that the block fills and the rows hold
         * @param filled the slots that the block alone fills
         */
        public Rejoin(int[] on, int[] filled, Downstream down) {
            this.budget = down.budget();
            this.on = on;
            this.plainTypes = new int[on.length];
            this.onColumns = new EntityColumn[on.length];
            this.ofRow = down.carriedSlots(filled);
            this.ofMatch = Arrays.stream(filled).filter(down::reads).toArray();
            this.entities = new LongTable(budget);
            this.pairs = new LongTable(budget);
            this.kindPairs = new LongTable(budget);
            this.kinds = new LongTable(budget);
            budget.charge(HeapBytes.array(firstPairs.length, Long.BYTES));
            this.candidates = budget.rowNumbers();
            this.rowBefore = budget.rowNumbers();
            this.rows = budget.rowNumbers();
            this.matches = budget.rowNumbers();
            this.out = down.batch();
            this.next = down.next();
            this.outer = out;
        }

        private void begin(Batch batch, int[] by) {
            outer = batch;
            kindColumns = Arrays.stream(by).mapToObj(batch::slot).toArray(EntityColumn[]::new);
            more = true;
            entities.clear();
            pairs.clear();
            kindPairs.clear();
            kinds.clear();
            Arrays.fill(firstPairs, 0);
            for (int i = 0; i < on.length; i++) {
                onColumns[i] = batch.slot(on[i]);
                plainTypes[i] = batch.size == 0 ? 0 : onColumns[i].types[0];
            }
        }

        /**
         * Adds a row to the trie.
         *
         * @return the number of its kind; kinds are numbered as they first occur
         */
        private int link(int row) {
            if (row == 0 || !isOfKindBefore(row)) {
                long node = 0;
                for (EntityColumn column : kindColumns) {
                    node = 1L + kindPairs.add(node << 32 | entities.add(entity(column, row)));
                }
                kind = kinds.add(node);
            }
            int before = pairs.size();
            long first = pair(kind, code(0, row));
            int bit = bit(first);
            firstPairs[bit >>> 6] |= 1L << bit;
            int last = pairs.add(first);
            for (int i = 1; i < on.length; i++) {
                last = pairs.add(pair(FIRST_NODE + last, code(i, row)));
            }
            lastRow = budget.withRoom(lastRow, last);
            rowBefore[row] = pairs.size() == before ? lastRow[last] : 0;
            lastRow[last] = row + 1;
            return kind;
        }

        private static long pair(int node, long code) {
            return (long) node << 32 | code;
        }

        private static int bit(long pair) {
            return KeyedHash.hash(pair, KeyedHash.PROCESS_KEY) >>> BITS_SHIFT;
        }

        /** Whether a row is of the same kind as the one before it, which most are that come from one row. */
        private boolean isOfKindBefore(int row) {
            for (EntityColumn column : kindColumns) {
                if (entity(column, row) != entity(column, row - 1)) {
                    return false;
                }
            }
            return true;
        }

        /** The code of an entity of a row: 32 bits, of which the first is set but for those of the plain type. */
        private long code(int i, int row) {
            EntityColumn column = onColumns[i];
            return column.types[row] == plainTypes[i] && !column.isNull(row)
                    ? column.ordinals[row]
                    : Integer.toUnsignedLong(~entities.add(entity(column, row)));
        }

        /** The code of an entity of a match; −1 when no row holds the entity. */
        private long codeOfMatch(EntityColumn column, int i, int match) {
            if (column.types[match] == plainTypes[i] && !column.isNull(match)) {
                return column.ordinals[match];
            }
            int number = entities.find(entity(column, match));
            return number < 0 ? -1 : Integer.toUnsignedLong(~number);
        }

        /** The number of an entity; −1 for null, which no match holds. */
        private static long entity(EntityColumn column, int row) {
            return column.isNull(row) ? -1 : MeetOperator.key(column.types[row], column.ordinals[row]);
        }

        @Override
        public boolean push(Batch batch) {
            int n = 0;
            int found = findCandidates(batch);
            for (int i = 0; i < found; i++) {
                int match = candidates[i];
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

        /** Takes the matches that may be joined with rows, without a branch that depends on them. */
        private int findCandidates(Batch batch) {
            EntityColumn column = batch.slot(on[0]);
            int n = 0;
            for (int match = 0; match < batch.size; match++) {
                int bit = bit(pair(batch.tags[match], codeOfMatch(column, 0, match)));
                candidates[n] = match;
                n += (int) (firstPairs[bit >>> 6] >>> bit & 1L);
            }
            return n;
        }

        /** The last row that a match is joined with, plus 1. */
        private int find(Batch batch, int match) {
            int node = batch.tags[match];
            int last = -1;
            for (int i = 0; i < on.length; i++) {
                long code = codeOfMatch(batch.slot(on[i]), i, match);
                last = code < 0 ? -1 : pairs.find(pair(node, code));
                if (last < 0) {
                    return 0;
                }
                node = FIRST_NODE + last;
            }
            return lastRow[last];
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
