package service.core.gq.function;

import service.core.value.PropertyType;

/**
 * What a function may ask for beside its arguments.
 *
 * @param type the type of the result
 * @param nowMicros the start of the request, in microseconds since 1970
 */
public record CallContext(PropertyType type, long nowMicros) {}
