package service.projection.search.index;

import java.util.Arrays;
import java.util.function.IntConsumer;
import service.core.port.TextIndex;
import service.core.value.HeapBytes;

/** A growing list of ordinals, which a search pays for. One thread. */
final class FoundOrdinals implements IntConsumer {
    private static final int FIRST = 256;

    private final TextIndex.Payer payer;
    private int[] ordinals;
    private int size;

    /** @param payer is charged for the memory, and gives it back */
    FoundOrdinals(TextIndex.Payer payer) {
        this.payer = payer;
        payer.charge(HeapBytes.array(FIRST, Integer.BYTES));
        this.ordinals = new int[FIRST];
    }

    @Override
    public void accept(int ordinal) {
        if (size == ordinals.length) {
            payer.charge(HeapBytes.array(2L * size, Integer.BYTES));
            ordinals = Arrays.copyOf(ordinals, 2 * size);
            payer.release(HeapBytes.array(size, Integer.BYTES));
        }
        ordinals[size++] = ordinal;
    }

    int[] sorted() {
        payer.charge(HeapBytes.array(size, Integer.BYTES));
        int[] all = Arrays.copyOf(ordinals, size);
        Arrays.sort(all);
        return all;
    }
}
