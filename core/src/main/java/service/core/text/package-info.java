/**
 * The text of both languages, GQ and schema: tokens, string literals, source ranges and the findings of a source. A
 * {@link service.core.text.Language} says which signs a language has.
 */
@NullMarked
package service.core.text;

import org.jspecify.annotations.NullMarked;
