/**
 * Branches, merges and diffs: the commit graph, merge bases, net changes and the three-way decision. It may use
 * {@code graph.check}, {@code graph.feed} for page tokens and filters, and {@code graph.request}.
 */
@NullMarked
package service.core.graph.branch;

import org.jspecify.annotations.NullMarked;
