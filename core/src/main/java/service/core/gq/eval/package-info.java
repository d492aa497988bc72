/**
 * Expressions evaluated one entity at a time: what mutations need. Reads run vectorised in {@code projection.query}.
 */
@NullMarked
package service.core.gq.eval;

import org.jspecify.annotations.NullMarked;
