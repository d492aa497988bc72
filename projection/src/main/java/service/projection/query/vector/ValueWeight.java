package service.projection.query.vector;

import service.core.value.Value;

/** Estimates the heap bytes of boxed values. */
public final class ValueWeight {
    private static final int OBJECT = 24;

    private ValueWeight() {}

    public static long of(Value value) {
        return switch (value) {
            case Value.Text v -> 2 * OBJECT + (long) v.value().length();
            case Value.ExternalBlob v -> 2 * OBJECT + (long) v.uri().length();
            case Value.Vector v -> OBJECT + 4L * v.items().length;
            case Value.ManagedBlob ignored -> 3 * OBJECT;
            case Value.ListOf v -> {
                long bytes = 2 * OBJECT;
                for (Value item : v.items()) {
                    bytes += 4 + of(item);
                }
                yield bytes;
            }
            default -> OBJECT;
        };
    }
}
