/** The log of a graph: immutable events in order. */
@NullMarked
package service.log;

import org.jspecify.annotations.NullMarked;
