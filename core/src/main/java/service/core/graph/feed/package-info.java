/**
 * The change feed: its pages, tokens, filters and streams, and the watch that wakes consumers when a branch moves. It
 * may use {@code budget}, {@code error}, {@code event}, {@code graph.read}, {@code graph.request}, {@code json},
 * {@code policy}, {@code port}, {@code schema} and {@code value} of this module.
 */
@NullMarked
package service.core.graph.feed;

import org.jspecify.annotations.NullMarked;
