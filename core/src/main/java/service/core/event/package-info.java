/** The immutable events that are a graph's only truth, and their byte layout. */
@NullMarked
package service.core.event;

import org.jspecify.annotations.NullMarked;
