/**
 * The bound, typed, normalised form of a GQ query: the input of the physical planner. It knows no storage. It may use
 * {@code error}, {@code schema} and {@code value} of this module.
 */
@NullMarked
package service.core.gq.plan;

import org.jspecify.annotations.NullMarked;
