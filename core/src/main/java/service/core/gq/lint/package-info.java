/** Checks of queries without running them: findings, footprints, and properties that no query sets. */
@NullMarked
package service.core.gq.lint;

import org.jspecify.annotations.NullMarked;
