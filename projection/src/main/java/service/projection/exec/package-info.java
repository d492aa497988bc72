/** The physical planner and the vectorised operators: runs plans, seeing storage only as a view. */
@NullMarked
package service.projection.exec;

import org.jspecify.annotations.NullMarked;
