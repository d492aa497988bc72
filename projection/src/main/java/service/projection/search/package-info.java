/**
 * Search: analyzers, which turn texts into terms, and the arithmetic of scores. Uses no tables. Lucene is seen in this
 * package and those below it only.
 */
@NullMarked
package service.projection.search;

import org.jspecify.annotations.NullMarked;
