package service.projection.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import service.core.schema.VectorMetric;
import service.core.value.RoundedVector;

/** The exact similarity lies between the bounds, for vectors of every length, direction and size. */
final class SimilarityBoundsTest {
    private static final int ROUNDS = 20_000;
    private static final int[] DIMENSIONS = {1, 2, 3, 7, 16, 33, 128, 384, 1_000, 4_096};

    @ParameterizedTest
    @EnumSource
    void theExactSimilarityIsWithin(VectorMetric metric) {
        SplittableRandom random = new SplittableRandom(17);
        int without = 0;
        int roundedWithout = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int n = DIMENSIONS[random.nextInt(round % 50 == 0 ? DIMENSIONS.length : 7)];
            float[] sought = vector(random, n);
            // Every third is near the sought one: there the most is lost.
            float[] vector = round % 3 == 0 ? near(random, sought) : vector(random, n);
            SimilarityBounds bounds = new SimilarityBounds(metric, sought);
            double exact = exact(metric, sought, vector);
            String what = "%s of %d dimensions in round %d".formatted(metric, n, round);
            if (bounds.of(vector)) {
                assertThat(exact).as(what).isBetween(bounds.low(), bounds.high());
            } else {
                without++;
            }
            if (bounds.of(RoundedVector.of(vector), Scores.square(vector))) {
                assertThat(exact).as("%s, rounded", what).isBetween(bounds.low(), bounds.high());
            } else {
                roundedWithout++;
            }
        }
        assertThat(without).isLessThan(ROUNDS / 3);
        assertThat(roundedWithout).isLessThan(ROUNDS / 3);
    }

    @Test
    void theBoundsOfUsualVectorsAreNarrow() {
        SplittableRandom random = new SplittableRandom(3);
        float[] sought = usual(random, 384);
        for (VectorMetric metric : VectorMetric.values()) {
            SimilarityBounds bounds = new SimilarityBounds(metric, sought);
            float[] vector = usual(random, 384);
            assertThat(bounds.of(vector)).isTrue();
            double size = metric == VectorMetric.DOT ? 384 : 1;
            assertThat(bounds.high() - bounds.low()).isLessThan(1e-4 * size);
            assertThat(bounds.of(RoundedVector.of(vector), Scores.square(vector)))
                    .isTrue();
            assertThat(bounds.high() - bounds.low()).isBetween(1e-6, 2e-2 * size);
        }
    }

    @Test
    void nothingIsSaidWhereProductsMayLeaveTheRangeOfFloats() {
        SimilarityBounds cosine = new SimilarityBounds(VectorMetric.COSINE, new float[] {1, 0});
        assertThat(cosine.of(new float[] {0, 0})).isFalse();
        assertThat(cosine.of(new float[] {1e-30f, 1e-30f})).isFalse();
        assertThat(cosine.of(new float[] {1e30f, 1e30f})).isFalse();
        assertThat(new SimilarityBounds(VectorMetric.DOT, new float[] {0, 0}).of(new float[] {1, 1}))
                .isFalse();
        assertThat(new SimilarityBounds(VectorMetric.L2, new float[] {1e30f, 0}).of(new float[] {-1e30f, 1}))
                .isFalse();
        RoundedVector small = RoundedVector.of(new float[] {1e-30f, Float.MIN_VALUE});
        assertThat(cosine.of(small, 1e-60)).isFalse();
    }

    @Test
    void theSumOfTheLargestComponentsIsWhole() {
        float[] ones = new float[4_096];
        Arrays.fill(ones, -1);
        SimilarityBounds cosine = new SimilarityBounds(VectorMetric.COSINE, ones);
        assertThat(cosine.of(RoundedVector.of(ones), ones.length)).isTrue();
        assertThat(cosine.low()).isBetween(0.999, 1.0);
    }

    private static float[] usual(SplittableRandom random, int n) {
        float[] vector = new float[n];
        for (int i = 0; i < n; i++) {
            vector[i] = (float) random.nextDouble(-1, 1);
        }
        return vector;
    }

    /** Components of one size, of sizes that differ, whole ones, and few that are not 0. */
    private static float[] vector(SplittableRandom random, int n) {
        float[] vector = usual(random, n);
        float scale = (float) Math.pow(10, random.nextInt(-12, 12));
        int kind = random.nextInt(4);
        for (int i = 0; i < n; i++) {
            vector[i] = switch (kind) {
                case 0 -> vector[i] * scale;
                case 1 -> vector[i] * (float) Math.pow(10, random.nextInt(-12, 12));
                case 2 -> Math.round(vector[i] * 3);
                default -> random.nextInt(4) == 0 ? vector[i] : 0;
            };
        }
        return vector;
    }

    private static float[] near(SplittableRandom random, float[] other) {
        float[] vector = other.clone();
        for (int i = 0; i < vector.length; i++) {
            vector[i] *= (float) (1 + random.nextDouble(-1e-6, 1e-6));
        }
        return vector;
    }

    private static double exact(VectorMetric metric, float[] left, float[] right) {
        double dot = 0;
        double leftSquare = 0;
        double rightSquare = 0;
        double distance = 0;
        for (int i = 0; i < left.length; i++) {
            dot += (double) left[i] * right[i];
            leftSquare += (double) left[i] * left[i];
            rightSquare += (double) right[i] * right[i];
            distance += ((double) left[i] - right[i]) * ((double) left[i] - right[i]);
        }
        return switch (metric) {
            case COSINE -> Math.clamp(dot / (Math.sqrt(leftSquare) * Math.sqrt(rightSquare)), -1.0, 1.0);
            case DOT -> dot;
            case L2 -> 1 / (1 + distance);
        };
    }
}
