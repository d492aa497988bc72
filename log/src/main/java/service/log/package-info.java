/** The log of a graph: the immutable events, their order, and nothing else. */
@NullMarked
package service.log;

import org.jspecify.annotations.NullMarked;
