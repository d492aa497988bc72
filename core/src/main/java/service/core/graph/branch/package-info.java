/**
 * Branches, merges and diffs: the commit graph, merge bases, net changes and the three-way decision. It may use
 * {@code batch}, {@code budget}, {@code error}, {@code event}, {@code gq}, {@code graph.check}, {@code graph.feed},
 * {@code graph.request}, {@code json}, {@code policy}, {@code port}, {@code schema} and {@code value} of this module.
 */
@NullMarked
package service.core.graph.branch;

import org.jspecify.annotations.NullMarked;
