/** The physical planner: turns a compiled pattern and the statistics of a view into a tree of {@code Node}s. */
@NullMarked
package service.projection.query.plan;

import org.jspecify.annotations.NullMarked;
