package service.cli.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.event.EventFormatException;
import service.core.event.Origin;
import service.core.graph.request.ReadTarget;
import service.core.graph.schema.SchemaRequest;
import service.core.policy.Caller;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;
import service.core.port.RootAddress;
import service.core.schema.Catalog;
import service.core.schema.migrate.DropApproval;
import service.core.schema.migrate.MigrationPlan;
import service.core.schema.migrate.SchemaRefusal;
import service.log.lmdb.StorageFailure;

/** The graphs of clusters, wherever they are stored. */
record ClusterGraphs() implements GraphPort {
    /** The refusals that an approval lifts. */
    private static final Set<String> DROPS = Set.of("PG-DS-102", "PG-DS-103");

    @Override
    public boolean exists(GraphPlace place) {
        return StorageKinds.graph(place).exists();
    }

    @Override
    public boolean isGraph(GraphPlace place) {
        return StorageKinds.graph(place).isGraph();
    }

    @Override
    public List<String> list(RootAddress root) {
        return StorageKinds.graphs(root);
    }

    @Override
    public void create(GraphPlace place, String graphId, Catalog catalog, @Nullable String actor) {
        StorageKinds.graph(place).create(catalog, actor);
    }

    @Override
    public Observed observe(GraphPlace place) {
        try (OpenedGraph opened = OpenedGraph.reading(GraphAddress.at(place), Engine.ofProcess())) {
            return new Observed(opened.unrestricted().schema(ReadTarget.MAIN).source(), null);
        } catch (ServiceException | EventFormatException | StorageFailure e) {
            return new Observed(null, "it cannot be opened: " + e.getMessage());
        }
    }

    @Override
    public Migration planMigration(GraphPlace place, String graphId, String desired) {
        try (OpenedGraph opened = OpenedGraph.reading(new GraphAddress(place, graphId), Engine.ofProcess());
                RequestBudget budget = opened.graph().budget(() -> false)) {
            MigrationPlan plan = opened.unrestricted().planSchema(desired, DropApproval.none(remedy(graphId)), budget);
            List<String> steps =
                    plan.steps().stream().map(step -> step.toJson().toString()).toList();
            List<String> refusals = new ArrayList<>();
            List<String> drops = new ArrayList<>();
            for (SchemaRefusal refusal : plan.refusals()) {
                if (!DROPS.contains(refusal.code())) {
                    refusals.add(refusal.code() + ": " + refusal.message());
                }
            }
            for (MigrationPlan.Drop drop : plan.drops()) {
                drops.add("%s type `%s` with %s"
                        .formatted(
                                drop.kind(),
                                drop.typeName(),
                                drop.count() == 1 ? "one entity" : drop.count() + " entities"));
            }
            List<String> codes = plan.refusals().stream()
                    .map(SchemaRefusal::code)
                    .distinct()
                    .sorted()
                    .toList();
            return new Migration(steps, refusals, drops, codes);
        } catch (EventFormatException | StorageFailure e) {
            throw ServiceException.conflict("the graph cannot be opened: " + e.getMessage());
        }
    }

    private static String remedy(String graphId) {
        return "approve it with `service cluster approve schema." + graphId + "`";
    }

    @Override
    public void migrate(GraphPlace place, String graphId, String desired, boolean dropsApproved, Origin origin) {
        DropApproval approval = dropsApproved ? DropApproval.every() : DropApproval.none(remedy(graphId));
        try (OpenedGraph opened = OpenedGraph.writing(new GraphAddress(place, graphId), Engine.ofProcess());
                RequestBudget budget = opened.graph().budget(() -> false)) {
            opened.graph()
                    .as(Caller.unrestricted(origin.actor()))
                    .applySchema(new SchemaRequest(desired, approval, null, origin.note()), budget);
        } catch (EventFormatException e) {
            throw ServiceException.conflict("the graph cannot be opened: " + e.getMessage());
        }
    }

    @Override
    public void delete(GraphPlace place) {
        StorageKinds.graph(place).delete();
    }

    @Override
    public void clear(GraphPlace place) {
        StorageKinds.graph(place).clear();
    }

    @Override
    public @Nullable String writer(GraphPlace place) {
        return StorageKinds.graph(place).writer();
    }
}
