package service.core.graph.request;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.gq.CompiledSource;
import service.core.gq.GqCompiler;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.schema.Catalog;

/** The stored queries of the applied revision. */
public final class StoredQueries {
    private final GraphStorage storage;
    private final QueryLanguage language;
    private final SortedMap<String, String> sources = new TreeMap<>();
    private final Set<String> mutations = new HashSet<>();

    public StoredQueries(GraphStorage storage, QueryLanguage language, List<StoredQuerySource> stored) {
        this.storage = storage;
        this.language = language;
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

    public String source(String name) {
        String source = sources.get(name);
        if (source == null) {
            String meant = Suggestion.didYouMean(name, sources.keySet());
            throw ServiceException.notFound(
                    "stored query `" + name + "` does not exist" + (meant == null ? "" : "; " + meant));
        }
        return source;
    }

    public StoredQuery get(String name) {
        return compiled(name, source(name), mainCatalog());
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
        CompiledSource.Request request = language.compile(source, name, catalog).request();
        if (request instanceof CompiledSource.Request.Query query) {
            return new StoredQuery(name, source, query.plan());
        }
        throw new IllegalStateException("stored query " + name + " is a statement");
    }

    private Catalog mainCatalog() {
        try (GraphSession session = storage.session();
                GraphView view =
                        session.view(Targets.branch(session, Branch.MAIN).headPoint())) {
            return view.catalog();
        }
    }

    /** The 404 that hides from a caller whether there is a stored query of that name. */
    public static ServiceException unknown(String name) {
        return ServiceException.notFound("stored query `" + name + "` does not exist");
    }
}
