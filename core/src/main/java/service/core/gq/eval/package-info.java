/**
 * Expressions evaluated one entity at a time: what mutations need. Reads run vectorised in {@code projection.query}. It
 * may use {@code error}, {@code event}, {@code gq.plan}, {@code schema}, {@code text} and {@code value} of this module.
 */
@NullMarked
package service.core.gq.eval;

import org.jspecify.annotations.NullMarked;
