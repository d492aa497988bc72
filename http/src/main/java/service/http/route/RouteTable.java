package service.http.route;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.http.auth.token.ProtectedResource;

/** All routes. A literal segment takes precedence over a variable; the order of the list has no effect. Immutable. */
public final class RouteTable {
    private final List<Route> routes;

    /** The templates by their number of segments, ordered by their number of variables. */
    private final Map<Integer, List<Shape>> shapes = new HashMap<>();

    /** The routes of one template, one for each method. */
    private record Shape(List<String> template, List<Route> routes) {
        /** Compares from the end, because most templates begin with the same segments. */
        boolean matches(List<String> segments) {
            for (int i = template.size() - 1; i >= 0; i--) {
                if (!isVariable(template.get(i)) && !template.get(i).equals(segments.get(i))) {
                    return false;
                }
            }
            return true;
        }

        long variables() {
            return template.stream().filter(RouteTable::isVariable).count();
        }
    }

    public RouteTable(List<Route> routes) {
        this.routes = List.copyOf(routes);
        Map<List<String>, List<Route>> byTemplate = routes.stream()
                .collect(Collectors.groupingBy(
                        route -> route.endpoint().template(), LinkedHashMap::new, Collectors.toUnmodifiableList()));
        byTemplate.forEach((template, same) -> shapes.computeIfAbsent(template.size(), size -> new ArrayList<>())
                .add(new Shape(template, same)));
        shapes.values().forEach(some -> some.sort(Comparator.comparingLong(Shape::variables)));
    }

    /**
     * The routes of the service.
     *
     * @param version what {@code /healthz} reports
     * @param authenticated whether the server asks for credentials, which {@code /openapi.json} then describes
     * @param resource what access tokens are for; null without OIDC identities
     */
    public static RouteTable standard(String version, boolean authenticated, @Nullable ProtectedResource resource) {
        List<Route> routes = new ArrayList<>();
        routes.addAll(ServerRoutes.routes(version));
        routes.addAll(DiscoveryRoutes.routes(resource));
        routes.addAll(OpenApiRoutes.routes(authenticated));
        routes.addAll(QueryRoutes.routes());
        routes.addAll(StoredQueryRoutes.routes());
        routes.addAll(LoadRoutes.routes());
        routes.addAll(EmbedRoutes.routes());
        routes.addAll(BranchRoutes.routes());
        routes.addAll(TagRoutes.routes());
        routes.addAll(EntityRoutes.routes());
        routes.addAll(HistoryRoutes.routes());
        routes.addAll(UndoRoutes.routes());
        routes.addAll(ChangeRoutes.routes());
        routes.addAll(SearchRoutes.routes());
        routes.addAll(SchemaRoutes.routes());
        routes.addAll(ExportRoutes.routes());
        routes.addAll(DeprecatedRoutes.routes());
        routes.addAll(BlobRoutes.routes());
        return new RouteTable(routes);
    }

    /** This table with one route more. */
    public RouteTable with(Route route) {
        return with(List.of(route));
    }

    /** This table with further routes. */
    public RouteTable with(List<Route> more) {
        List<Route> all = new ArrayList<>(routes);
        all.addAll(more);
        return new RouteTable(all);
    }

    public List<Route> routes() {
        return routes;
    }

    /**
     * Returns the routes of the template that matches the decoded segments with the fewest variables, one for each
     * method; empty when no template matches.
     */
    public List<Route> match(List<String> segments) {
        for (Shape shape : shapes.getOrDefault(segments.size(), List.of())) {
            if (shape.matches(segments)) {
                return shape.routes();
            }
        }
        return List.of();
    }

    /** The path that one without a route probably means: with another word in one place; null when none is near. */
    public @Nullable String meant(List<String> segments) {
        for (int i = 0; i < segments.size(); i++) {
            List<String> words = new ArrayList<>();
            for (Shape shape : shapes.getOrDefault(segments.size(), List.of())) {
                String word = shape.template().get(i);
                List<String> changed = new ArrayList<>(segments);
                changed.set(i, word);
                if (!isVariable(word) && shape.matches(changed)) {
                    words.add(word);
                }
            }
            String near = Suggestion.nearest(segments.get(i), words);
            if (near != null) {
                List<String> meant = new ArrayList<>(segments);
                meant.set(i, near);
                return "/" + String.join("/", meant);
            }
        }
        return null;
    }

    /** Returns the route of one template that serves a method, or null. GET routes also serve HEAD. */
    public static @Nullable Route select(List<Route> matched, String method) {
        String wanted = method.equals("HEAD") ? "GET" : method;
        for (Route route : matched) {
            if (route.endpoint().method().equals(wanted)) {
                return route;
            }
        }
        return null;
    }

    /** The value of the header {@code Allow} for the routes of one template. */
    public static String allow(List<Route> matched) {
        TreeSet<String> methods = new TreeSet<>();
        for (Route route : matched) {
            methods.add(route.endpoint().method());
            if (route.endpoint().method().equals("GET")) {
                methods.add("HEAD");
            }
        }
        return String.join(", ", methods);
    }

    static boolean isVariable(String segment) {
        return segment.startsWith("{");
    }
}
