package service.core.graph.request;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.gq.CompiledSource;
import service.core.gq.GqCompiler;
import service.core.gq.QueryCompiler;
import service.core.gq.plan.Plan;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.text.Work;

/** The stored queries of the applied revision. */
public final class StoredQueries {
    private final GraphStorage storage;
    private final QueryCompiler compiler;
    private final SortedMap<String, String> sources = new TreeMap<>();
    private final Set<String> mutations = new HashSet<>();

    public StoredQueries(GraphStorage storage, QueryCompiler compiler, List<StoredQuerySource> stored) {
        this.storage = storage;
        this.compiler = compiler;
        for (StoredQuerySource query : stored) {
            sources.put(query.name(), query.source());
            if (GqCompiler.isMutation(query.source(), query.name())) {
                mutations.add(query.name());
            }
        }
    }

    public boolean has(String name) {
        return sources.containsKey(name);
    }

    /** The source of a stored query that is there. */
    public String source(String name) {
        return Objects.requireNonNull(sources.get(name), name);
    }

    /**
     * The source of a stored query.
     *
     * @throws ServiceException NOT_FOUND, with a similar name that the caller may run
     */
    public String source(String name, Caller caller) {
        String source = sources.get(name);
        if (source == null) {
            List<String> visible = sources.keySet().stream()
                    .filter(other -> caller.may(bodyAction(other)))
                    .toList();
            String meant = Suggestion.didYouMean(name, visible);
            throw ServiceException.notFound(
                    Reason.STORED_QUERY,
                    "stored query `" + name + "` does not exist" + (meant == null ? "" : "; " + meant));
        }
        return source;
    }

    /** The action that the body of a stored query needs. */
    public Action bodyAction(String name) {
        return mutations.contains(name) ? Action.CHANGE : Action.READ;
    }

    public StoredQuery get(String name, Caller caller) {
        return compiled(name, source(name, caller), mainCatalog());
    }

    /**
     * Whether the query is a mutation. Reads its text only and opens no session, because admission calls this on a
     * thread that must not wait.
     */
    public boolean isMutation(String name) {
        return mutations.contains(name);
    }

    public List<StoredQuery> list() {
        Catalog catalog = mainCatalog();
        return sources.entrySet().stream()
                .map(entry -> compiled(entry.getKey(), entry.getValue(), catalog))
                .toList();
    }

    private StoredQuery compiled(String name, String source, Catalog catalog) {
        CompiledSource.Request request;
        try {
            request = compiler.compile(source, name, catalog, Work.UNCOUNTED).request();
        } catch (ServiceException refusal) {
            Plan described = GqCompiler.describe(source, name, catalog);
            if (described == null) {
                throw refusal;
            }
            return new StoredQuery(name, source, described, catalog, false);
        }
        if (request instanceof CompiledSource.Request.Query query) {
            return new StoredQuery(name, source, query.plan(), catalog, true);
        }
        throw new IllegalStateException("stored query " + name + " is a statement");
    }

    private Catalog mainCatalog() {
        try (GraphSession session = storage.session();
                GraphView view = session.view(Targets.main(session).headPoint())) {
            return view.catalog();
        }
    }

    /**
     * Runs a stored read. A refusal of a query that fits the schema of {@code main} and not that of the branch says how
     * the branch gets it.
     */
    public void read(String name, ReadTarget target, Runnable run) {
        try {
            run.run();
        } catch (ServiceException refusal) {
            throw target instanceof ReadTarget.AtBranch(String branch) ? explained(refusal, name, branch) : refusal;
        }
    }

    /** The same for a stored mutation. */
    public <T> CompletableFuture<T> mutate(String name, String branch, Supplier<CompletableFuture<T>> run) {
        try {
            return run.get().exceptionally(failure -> {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                throw new CompletionException(
                        cause instanceof ServiceException refusal ? explained(refusal, name, branch) : cause);
            });
        } catch (ServiceException refusal) {
            throw explained(refusal, name, branch);
        }
    }

    private boolean fits(String name, Catalog catalog) {
        try {
            compiler.compile(source(name), name, catalog, Work.UNCOUNTED);
            return true;
        } catch (ServiceException refusal) {
            return false;
        }
    }

    private ServiceException explained(ServiceException refusal, String name, String branch) {
        if (branch.equals(Branch.MAIN) || !(refusal.detail() instanceof ErrorDetail.Diagnostics)) {
            return refusal;
        }
        try (GraphSession session = storage.session()) {
            Branch at = session.branch(branch);
            Catalog main = session.catalog(Targets.main(session).headPoint());
            if (at == null
                    || session.catalog(at.headPoint()).fingerprint().equals(main.fingerprint())
                    || !fits(name, main)) {
                return refusal;
            }
        }
        return new ServiceException(
                refusal.code(),
                refusal.getMessage() + "; the query fits the schema of main, and branch `" + branch
                        + "` has another one: `service branch upgrade " + branch + "` gives it that of main",
                refusal.detail());
    }

    /** The 404 that hides from a caller whether there is a stored query of that name. */
    public static ServiceException unknown(String name) {
        return ServiceException.notFound(Reason.STORED_QUERY, "stored query `" + name + "` does not exist");
    }
}
