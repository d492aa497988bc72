/**
 * Blocks: parts of one state of a graph in arrays on the heap, and the views that read them. It also has the sets of
 * ordinals that events have changed since a block was made.
 */
@NullMarked
package service.projection.resident;

import org.jspecify.annotations.NullMarked;
