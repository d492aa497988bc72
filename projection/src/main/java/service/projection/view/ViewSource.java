package service.projection.view;

import com.google.errorprone.annotations.MustBeClosed;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/**
 * Gives the views of one graph that reading sessions hand out. A source with structures in memory returns a view that
 * wraps the one of {@link #TABLES}; closing it closes the wrapped one. Such a view passes on record handles of the
 * wrapped view and otherwise writes {@link service.core.batch.EntityColumn#NO_RECORD}; it keeps no handle, because a
 * handle ends with its transaction.
 *
 * <p>A session in the writer's transaction always reads the tables: it sees events that are not committed yet.
 *
 * <p>Thread rule: any thread; each view belongs to the thread of its session.
 */
@FunctionalInterface
public interface ViewSource {
    /** Views that read the tables alone. */
    ViewSource TABLES = tables(TextSource.NONE);

    /** Views that read the tables alone, with what indexes of texts know about them. */
    static ViewSource tables(TextSource texts) {
        return (access, chain, point, schema) -> new ProjectionView(access, chain, point, schema, texts);
    }

    /**
     * Opens a view.
     *
     * @param access the tables in one transaction, which outlives the view
     * @param chain the incarnations and offsets that the view reads
     * @param point the point that the chain belongs to
     * @param schema the schema in force at that point
     */
    @MustBeClosed
    GraphView view(TableAccess access, Chain chain, ReadPoint point, Catalogs.Compiled schema);
}
