package service.projection.view;

import org.jspecify.annotations.Nullable;
import service.core.port.GraphView;
import service.core.port.TextIndex;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/** Gives what indexes of texts know about the views of one graph. Any thread. */
@FunctionalInterface
public interface TextSource {
    /** No index. */
    TextSource NONE = (access, chain, view) -> null;

    /**
     * What indexes know about a view, which closes it.
     *
     * @param access the tables in the transaction of the view
     * @param chain the incarnations and offsets that the view reads
     */
    @Nullable
    TextIndex texts(TableAccess access, Chain chain, GraphView view);
}
