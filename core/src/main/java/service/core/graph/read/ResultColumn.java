package service.core.graph.read;

import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;

/**
 * A column of a result.
 *
 * @param type null for a bare entity and for a column that is always null
 */
public record ResultColumn(String name, @Nullable PropertyType type) {}
