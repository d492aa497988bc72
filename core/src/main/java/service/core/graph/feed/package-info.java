/**
 * The change feed: its pages, tokens, filters and streams, and the watch that wakes consumers when a branch moves. It
 * may use {@code graph.read} for baselines, and {@code graph.request}.
 */
@NullMarked
package service.core.graph.feed;

import org.jspecify.annotations.NullMarked;
