package service.core.gq.function;

import org.jspecify.annotations.Nullable;

/**
 * Why a literal is refused as an argument before the query runs.
 *
 * @param remedy what to write instead; may be null
 */
public record Misuse(String message, @Nullable String remedy) {}
