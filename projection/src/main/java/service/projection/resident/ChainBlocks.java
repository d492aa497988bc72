package service.projection.resident;

import com.google.errorprone.annotations.MustBeClosed;
import org.jspecify.annotations.Nullable;
import service.core.port.GraphView;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.view.Catalogs;
import service.projection.view.TypeScan;

/**
 * The blocks of a graph for a view along a chain.
 *
 * @param tables the view without blocks
 * @param counted whether rows that the tables answer are counted, which leads to new blocks
 */
record ChainBlocks(
        ResidentBlocks blocks,
        GraphView tables,
        TableAccess access,
        Chain chain,
        Catalogs.Compiled schema,
        boolean counted)
        implements BlockSource {
    @Override
    public @Nullable Kept find(Part.Kind kind, int type, int property) {
        return blocks.find(kind, type, property, false, chain, schema.offset());
    }

    @Override
    public @Nullable Kept findHops(Part.Kind kind, int lane, boolean withEdges) {
        return blocks.find(kind, lane, 0, withEdges, chain, schema.offset());
    }

    @Override
    public void hit(Kept kept, int rows) {
        blocks.memory().hit(kept, rows);
    }

    @Override
    public void missed(Part.Kind kind, int type, int property, int entityType, int rows) {
        missed(new Part(kind, type, property, chain.incarnation(0)), entityType, false, rows);
    }

    @Override
    public void missedHops(Part.Kind kind, int lane, int nearType, boolean withEdges, int rows) {
        missed(new Part(kind, lane, 0, chain.incarnation(0)), nearType, withEdges, rows);
    }

    private void missed(Part own, int entityType, boolean withEdges, int rows) {
        if (counted) {
            blocks.memory().missed(rows);
            Part part = blocks.missed(own, rows, withEdges, chain, schema.offset());
            if (part != null) {
                blocks.want(part, tables.ordinalBound(entityType), chain, schema);
            }
        }
    }

    @MustBeClosed
    @Override
    public GraphView.Scan tableScan(int type, int from) {
        return new TypeScan(access, chain, type, from);
    }
}
