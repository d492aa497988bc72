/** The bound, typed, normalised form of a GQ query: what the physical planner starts from. */
@NullMarked
package service.core.gq.plan;

import org.jspecify.annotations.NullMarked;
