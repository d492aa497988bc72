/** Branches, merges and diffs: the commit graph, merge bases, net changes and the three-way decision. */
@NullMarked
package service.core.graph.branch;

import org.jspecify.annotations.NullMarked;
