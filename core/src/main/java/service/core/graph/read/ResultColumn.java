package service.core.graph.read;

import org.jspecify.annotations.Nullable;
import service.core.value.ValueType;

/**
 * A column of a result.
 *
 * @param type null for a column that is always null
 */
public record ResultColumn(String name, @Nullable ValueType type) {}
