/** The bound, typed, normalised form of a GQ query: the input of the physical planner. It knows no storage. */
@NullMarked
package service.core.gq.plan;

import org.jspecify.annotations.NullMarked;
