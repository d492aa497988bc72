package service.core.gq.function;

import service.core.text.Work;
import service.core.value.ValueType;

/**
 * What a function may ask for beside its arguments.
 *
 * @param type the type of the result
 * @param nowMicros the start of the request, in microseconds since 1970
 * @param work told of the steps of long calls, and charged while a long list is made
 */
public record CallContext(ValueType type, long nowMicros, Work work) {}
