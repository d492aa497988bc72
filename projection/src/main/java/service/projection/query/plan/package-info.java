/**
 * The physical planner: turns a compiled pattern and the statistics of a view into a tree of {@code Node}s. It uses no
 * other package of this module.
 */
@NullMarked
package service.projection.query.plan;

import org.jspecify.annotations.NullMarked;
