package service.core.graph.schema;

import org.jspecify.annotations.Nullable;
import service.core.graph.request.CommitRecord;
import service.core.schema.migrate.MigrationPlan;

/**
 * An applied migration.
 *
 * @param commit null when the graph had the desired schema already
 */
public record MigrationResult(MigrationPlan plan, @Nullable CommitRecord commit) {}
