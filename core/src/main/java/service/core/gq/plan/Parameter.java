package service.core.gq.plan;

import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;
import service.core.value.Value;

/** A declared parameter. It is required unless it is nullable or has a default. */
public record Parameter(
        String name,
        PropertyType type,
        boolean nullable,
        @Nullable Value defaultValue) {}
