package service.core.json;

/**
 * How an answer writes values of the types I64 and U64. Numbers beyond ±(2^53−1) lose digits in programs whose only
 * numbers are doubles, such as those in JavaScript.
 */
public enum Int64Form {
    /** As a JSON number, the usual form. */
    NUMBER,
    /** As a JSON string of decimal digits, with a minus where it is negative. */
    STRING
}
