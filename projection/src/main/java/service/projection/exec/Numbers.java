package service.projection.exec;

/** Comparing numbers of different widths by their exact value. */
final class Numbers {
    private static final double TWO_63 = 0x1p63;
    private static final double TWO_64 = 0x1p64;

    private Numbers() {}

    static int compareIntUInt(long signed, long unsignedBits) {
        return signed < 0 || unsignedBits < 0 ? -1 : Long.compare(signed, unsignedBits);
    }

    static int compareIntReal(long whole, double real) {
        if (real >= TWO_63) {
            return -1;
        }
        if (real < -TWO_63) {
            return 1;
        }
        long floor = (long) Math.floor(real);
        if (whole != floor) {
            return whole < floor ? -1 : 1;
        }
        return real > floor ? -1 : 0;
    }

    static int compareUIntReal(long bits, double real) {
        if (real >= TWO_64) {
            return -1;
        }
        if (real < 0) {
            return 1;
        }
        if (bits >= 0) {
            return compareIntReal(bits, real);
        }
        if (real < TWO_63) {
            return 1;
        }
        // At and above 2^63 a double is whole, and its value less 2^63 fits a long exactly.
        return Long.compareUnsigned(bits, (long) (real - TWO_63) + Long.MIN_VALUE);
    }

    /** Numbers only, for which −0 equals 0. */
    static int compareReals(double left, double right) {
        return left < right ? -1 : left > right ? 1 : 0;
    }

    static double unsignedToDouble(long bits) {
        if (bits >= 0) {
            return bits;
        }
        return new java.math.BigInteger(Long.toUnsignedString(bits)).doubleValue();
    }
}
