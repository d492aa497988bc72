package service.cli.table;

/** The hybrid of runs and packed bits in which Parquet has levels and positions in dictionaries. */
final class RunLengths {
    private static final int GROUP = 8;

    private RunLengths() {}

    /** The bits of the largest of so many different numbers from 0; 0 where there is one number. */
    static int width(int numbers) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, numbers - 1));
    }

    /** Writes the numbers {@code [from, to)}, each below 2 to the power of the width. */
    static void write(int[] numbers, int from, int to, int width, PageBytes into) {
        int at = from;
        while (at < to) {
            int run = run(numbers, at, to);
            if (run >= GROUP) {
                varint(run << 1, into);
                for (int shift = 0; shift < width; shift += Byte.SIZE) {
                    into.put(numbers[at] >>> shift);
                }
                at += run;
            } else {
                int end = at;
                while (end < to && run(numbers, end, to) < GROUP) {
                    end = Math.min(to, end + GROUP);
                }
                varint((((end - at + GROUP - 1) / GROUP) << 1) | 1, into);
                pack(numbers, at, end, width, into);
                at = end;
            }
        }
    }

    /** The length of the run at a place, up to one that is long. */
    private static int run(int[] numbers, int at, int to) {
        int end = at + 1;
        while (end < to && numbers[end] == numbers[at]) {
            end++;
        }
        return end - at;
    }

    private static void pack(int[] numbers, int from, int to, int width, PageBytes into) {
        long bits = 0;
        int count = 0;
        int end = from + (to - from + GROUP - 1) / GROUP * GROUP;
        for (int i = from; i < end; i++) {
            bits |= (long) (i < to ? numbers[i] : 0) << count;
            count += width;
            while (count >= Byte.SIZE) {
                into.put((int) bits);
                bits >>>= Byte.SIZE;
                count -= Byte.SIZE;
            }
        }
    }

    private static void varint(int value, PageBytes into) {
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            into.put((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        into.put(rest);
    }
}
