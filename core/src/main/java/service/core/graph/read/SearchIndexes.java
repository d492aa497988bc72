package service.core.graph.read;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.graph.request.History;
import service.core.graph.request.TimeBudget;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.SearchStatus;
import service.core.port.SearchStatus.IndexState;
import service.core.port.SearchStatus.State;
import service.core.port.WritableGraphStorage;
import service.core.schema.AnalyzerName;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.schema.VectorMetric;
import service.core.value.PropertyType;

/** Shows and rebuilds the search indexes of a graph. */
public final class SearchIndexes {
    /** The most properties that one request may name. */
    private static final int NAMES_MAX = 1_000;

    private final GraphStorage storage;

    public SearchIndexes(GraphStorage storage) {
        this.storage = storage;
    }

    /**
     * The indexes beside the head of {@code main}.
     *
     * @param logOffset of the last event that this process shows
     * @param lag events that the indexes of {@code main} do not have yet; 0 where no text is searched
     * @param branches those with an index that the caller may read
     */
    public record Report(long logOffset, long lag, List<Line> properties, List<BranchLine> branches) {}

    /**
     * A searched property.
     *
     * @param how the analyzer or the metric
     * @param expected values at the head of {@code main}
     */
    public record Line(IndexState index, boolean isVector, String how, long expected) {}

    /** A branch that has its own index. */
    public record BranchLine(String name, long ownEntities, long bytes) {}

    /** A property with {@code @search} and the name of its analyzer or metric. */
    private record Searched(EntityType type, Property property, String how) {
        SearchStatus.Property named() {
            return new SearchStatus.Property(type.kind(), type.name(), property.name());
        }

        boolean isVector() {
            return property.type() instanceof PropertyType.VectorOf;
        }
    }

    /** Counts the values of each searched property, so it reads those that may be null. */
    public Report status(Caller caller, TimeBudget time) {
        SearchStatus status = storage.search().status();
        Map<SearchStatus.Property, IndexState> states =
                status.indexes().stream().collect(Collectors.toMap(IndexState::property, state -> state));
        try (GraphSession session = storage.session();
                GraphView view = session.view(main(session).headPoint())) {
            List<Line> lines = new ArrayList<>();
            for (Searched searched : searched(view)) {
                IndexState state = states.getOrDefault(searched.named(), unlisted(searched, status));
                lines.add(new Line(state, searched.isVector(), searched.how(), values(view, searched, time)));
            }
            boolean anyText = lines.stream().anyMatch(line -> !line.isVector());
            long lag = !anyText ? 0 : Math.max(0, session.appliedOffset() - status.position());
            return new Report(session.appliedOffset(), lag, lines, branches(session, status, caller));
        }
    }

    /** The state of a property that the indexes do not list: they have not come to it yet, or there are none. */
    private static IndexState unlisted(Searched searched, SearchStatus status) {
        if (searched.isVector()) {
            return new IndexState(
                    searched.named(),
                    State.PAUSED,
                    "few vectors have no index, nor have more than the heap allows; `nearest` compares all",
                    0,
                    0);
        }
        return status.kept()
                ? new IndexState(searched.named(), State.BUILDING, null, 0, 0)
                : new IndexState(
                        searched.named(), State.PAUSED, "there is no index here; searches read the records", 0, 0);
    }

    private static Branch main(GraphSession session) {
        Branch main = session.branch(Branch.MAIN);
        if (main == null) {
            throw new IllegalStateException("every graph has a branch main");
        }
        return main;
    }

    private static List<BranchLine> branches(GraphSession session, SearchStatus status, Caller caller) {
        List<BranchLine> lines = new ArrayList<>();
        for (SearchStatus.BranchIndex index : status.branches()) {
            Branch branch = session.branchOf(index.incarnation());
            if (branch != null && caller.may(Action.READ, branch.name())) {
                lines.add(new BranchLine(branch.name(), index.ownEntities(), index.bytes()));
            }
        }
        return lines;
    }

    /** Nodes before edges, each by name, with the properties in their order in the schema. */
    private static List<Searched> searched(GraphView view) {
        List<Searched> all = new ArrayList<>();
        for (EntityType type : History.typesInOrder(view.catalog())) {
            for (Property property : type.properties()) {
                String how = how(property);
                if (how != null) {
                    all.add(new Searched(type, property, how));
                }
            }
        }
        return all;
    }

    /** The analyzer or the metric by which a property is searched; null for one without {@code @search}. */
    private static @Nullable String how(Property property) {
        AnalyzerName analyzer = property.analyzer();
        if (analyzer != null) {
            return analyzer.text();
        }
        VectorMetric metric = property.metric();
        return metric == null ? null : metric.text();
    }

    /** The values of a property at the head. */
    private static long values(GraphView view, Searched searched, TimeBudget time) {
        int type = searched.type.identity();
        if (!searched.property.nullable()) {
            return view.count(type);
        }
        long values = 0;
        EntityColumn rows = new EntityColumn();
        Column column = GraphView.columnFor(searched.property.type());
        try (GraphView.Scan scan = view.scan(type)) {
            for (int size = scan.next(rows); size > 0; size = scan.next(rows)) {
                time.check();
                column.reset(size);
                view.read(searched.property.identity(), rows, size, column);
                for (int row = 0; row < size; row++) {
                    values += column.isNull(row) ? 0 : 1;
                }
            }
        }
        return values;
    }

    /**
     * Drops indexes and builds them while the graph serves. Returns at once.
     *
     * @param names {@code Type.property} each; none for all
     * @throws ServiceException BAD_REQUEST for a name without {@code @search}; CONFLICT in a process that only reads
     */
    public void rebuild(List<String> names) {
        if (names.size() > NAMES_MAX) {
            throw ServiceException.badRequest(
                    "`properties` may name at most " + NAMES_MAX + "; leave it out to rebuild all");
        }
        if (!(storage instanceof WritableGraphStorage)) {
            throw ServiceException.conflict(
                    Reason.READ_ONLY, "this server only reads; send the request to the server that writes the graph");
        }
        Map<String, List<SearchStatus.Property>> known = new LinkedHashMap<>();
        try (GraphSession session = storage.session();
                GraphView view = session.view(main(session).headPoint())) {
            for (Searched searched : searched(view)) {
                known.computeIfAbsent(searched.type.name() + "." + searched.property.name(), name -> new ArrayList<>())
                        .add(searched.named());
            }
        }
        Set<SearchStatus.Property> chosen = new LinkedHashSet<>();
        for (String name : names) {
            List<SearchStatus.Property> found = known.get(name);
            if (found == null) {
                throw unknown(name, known.keySet());
            }
            chosen.addAll(found);
        }
        storage.search().rebuild(chosen);
    }

    private static ServiceException unknown(String name, Set<String> known) {
        String hint = Suggestion.didYouMean(name, known);
        return ServiceException.badRequest("`" + name + "` is no property with @search; "
                + (hint != null
                        ? hint
                        : known.isEmpty() ? "the schema of main has none" : "there are " + String.join(", ", known)));
    }
}
