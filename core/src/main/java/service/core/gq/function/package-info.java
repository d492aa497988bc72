/**
 * The scalar functions of GQ: each is one constant of {@link service.core.gq.function.Function}, which declares its
 * name, its types, whether it can fail, and its value. The parser, the checker, both evaluators and the completion of
 * the shell ask that constant.
 */
@NullMarked
package service.core.gq.function;

import org.jspecify.annotations.NullMarked;
