/** The change feed: its pages, tokens, filters and streams, and the watch that wakes consumers when a branch moves. */
@NullMarked
package service.core.graph.feed;

import org.jspecify.annotations.NullMarked;
