package service.core.graph.read;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.graph.request.History;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Targets;
import service.core.json.Int64Form;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.ReadPoint;
import service.core.port.StateHold;
import service.core.schema.Catalog;
import service.core.schema.EntityType;

/** Streams a state: as records in the form that a load reads ({@code docs/writes.md}), or as tables. */
public final class Export {
    private final GraphStorage storage;

    public Export(GraphStorage storage) {
        this.storage = storage;
    }

    /**
     * Streams records as NDJSON, in the form that a load reads.
     *
     * @param typeNames only these types; empty for all
     */
    public void run(
            Caller caller,
            ReadTarget target,
            List<String> typeNames,
            Int64Form int64,
            RequestBudget budget,
            OutputStream into) {
        State found = find(caller, target, typeNames);
        try (StateHold state = storage.hold(found.point)) {
            new StateStream(storage.blobs(), state, int64, budget).write(found.types, into);
        }
    }

    /** Streams tables as {@link TableStream} has them. */
    public void tables(
            Caller caller, ReadTarget target, List<String> typeNames, RequestBudget budget, OutputStream into) {
        State found = find(caller, target, typeNames);
        try (StateHold state = storage.hold(found.point)) {
            new TableStream(state, budget).write(found.types, found.catalog, into);
        }
    }

    private record State(ReadPoint point, Catalog catalog, List<EntityType> types) {}

    private State find(Caller caller, ReadTarget target, List<String> typeNames) {
        try (GraphSession session = storage.session()) {
            ReadPoint point =
                    Targets.resolve(session, target, Action.EXPORT, caller).point();
            Catalog catalog = session.catalog(point);
            return new State(point, catalog, chosen(catalog, typeNames));
        }
    }

    private static List<EntityType> chosen(Catalog catalog, List<String> typeNames) {
        List<EntityType> all = History.typesInOrder(catalog);
        if (typeNames.isEmpty()) {
            return all;
        }
        List<EntityType> chosen = new ArrayList<>();
        typeNames.forEach(name -> chosen.addAll(named(catalog, name)));
        return all.stream().filter(chosen::contains).toList();
    }

    /**
     * The node type and the edge type of that name; at least one of them.
     *
     * @throws ServiceException BAD_REQUEST when there is neither
     */
    public static List<EntityType> named(Catalog catalog, String name) {
        List<EntityType> found = new ArrayList<>(1);
        EntityType.NodeType node = catalog.node(name);
        if (node != null) {
            found.add(node);
        }
        EntityType.EdgeType edge = catalog.edge(name);
        if (edge != null) {
            found.add(edge);
        }
        if (found.isEmpty()) {
            List<EntityType> all = History.typesInOrder(catalog);
            String meant = Suggestion.didYouMean(
                    name, all.stream().map(EntityType::name).toList());
            throw ServiceException.badRequest("unknown type `" + name + "`" + (meant == null ? "" : "; " + meant));
        }
        return found;
    }
}
