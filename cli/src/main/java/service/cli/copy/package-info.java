/** A relational copy of a branch, kept by its change feed: {@code changes poll --into}. */
@NullMarked
package service.cli.copy;

import org.jspecify.annotations.NullMarked;
