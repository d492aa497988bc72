package service.projection.view;

import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;

/**
 * The rows from which a hop is followed.
 *
 * @param nodes the near node of each row
 * @param ends the only neighbour that is wanted for each row; null for all
 * @param size number of rows
 */
public record HopRows(EntityColumn nodes, @Nullable EntityColumn ends, int size) {}
