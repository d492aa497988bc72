package service.projection.query.operator;

/**
 * What a TopN knows of the rows that it still needs. An operator before it that finds rows in the order of the TopN's
 * first key, the least first, asks for it and stops. One thread.
 */
@FunctionalInterface
public interface Cutoff {
    /** All rows are needed. */
    Cutoff NONE = number -> false;

    /** Whether rows with that number as their first key come after all that are needed; once true, it stays so. */
    boolean isBeyond(double number);
}
