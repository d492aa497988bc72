package service.projection.search;

import service.core.schema.VectorMetric;

/**
 * The arithmetic of scores: in 64 bits, in the order that the specification writes, so that a score is the same on all
 * machines. Stateless.
 */
public final class Scores {
    private static final double K1 = 1.2;
    private static final double B = 0.75;

    private Scores() {}

    /** The weight of each term. */
    public static double[] weights(TextStatistics.Counts counts) {
        double[] weights = new double[counts.containing().length];
        for (int i = 0; i < weights.length; i++) {
            double n = counts.containing()[i];
            weights[i] = StrictMath.log(1 + (counts.texts() - n + 0.5) / (n + 0.5));
        }
        return weights;
    }

    /** The mean length of the texts. */
    public static double average(TextStatistics.Counts counts) {
        return (double) counts.length() / counts.texts();
    }

    /**
     * How well a text fits.
     *
     * @param weights of the terms
     * @param frequencies how often the text has each term
     * @param length of the text in terms
     */
    public static double bm25(double[] weights, int[] frequencies, int length, double average) {
        double sum = 0.0;
        for (int i = 0; i < weights.length; i++) {
            if (frequencies[i] > 0) {
                double f = frequencies[i];
                sum += weights[i] * f / (f + K1 * ((1 - B) + B * length / average));
            }
        }
        return sum;
    }

    /** The sum of the squares of the components. */
    public static double square(float[] vector) {
        double sum = 0.0;
        for (float component : vector) {
            sum += (double) component * component;
        }
        return sum;
    }

    /**
     * How similar two vectors are, of which neither has the length 0 under {@code cosine}.
     *
     * @param leftSquare {@link #square} of the left one, which only {@code cosine} reads
     */
    public static double similarity(VectorMetric metric, float[] left, double leftSquare, float[] right) {
        return switch (metric) {
            case COSINE -> {
                double cosine = dot(left, right) / (Math.sqrt(leftSquare) * Math.sqrt(square(right)));
                yield Math.clamp(cosine, -1.0, 1.0);
            }
            case DOT -> dot(left, right);
            case L2 -> 1 / (1 + squaredDistance(left, right));
        };
    }

    private static double dot(float[] left, float[] right) {
        double sum = 0.0;
        for (int i = 0; i < left.length; i++) {
            sum += (double) left[i] * right[i];
        }
        return sum;
    }

    private static double squaredDistance(float[] left, float[] right) {
        double sum = 0.0;
        for (int i = 0; i < left.length; i++) {
            double difference = (double) left[i] - right[i];
            sum += difference * difference;
        }
        return sum;
    }
}
