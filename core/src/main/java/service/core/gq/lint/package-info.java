/**
 * Checks of queries without running them: findings, footprints, and properties that no query sets. It may use
 * {@code error}, {@code gq}, {@code gq.plan}, {@code schema}, {@code schema.syntax}, {@code text} and {@code value} of
 * this module.
 */
@NullMarked
package service.core.gq.lint;

import org.jspecify.annotations.NullMarked;
