/** Indexes of the texts of a graph: one for {@code main}, which follows the tables, and how a view differs from it. */
@NullMarked
package service.projection.search.index;

import org.jspecify.annotations.NullMarked;
