/** The bound, typed, normalised form of a GQ query: the input of the physical planner. */
@NullMarked
package service.core.gq.plan;

import org.jspecify.annotations.NullMarked;
