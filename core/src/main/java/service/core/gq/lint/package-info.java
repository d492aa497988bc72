/** What can be said of queries without running them: findings, footprints, what nobody writes. */
@NullMarked
package service.core.gq.lint;

import org.jspecify.annotations.NullMarked;
