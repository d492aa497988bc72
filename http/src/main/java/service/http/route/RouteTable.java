package service.http.route;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All routes, in one list. A literal segment wins over a variable one; the order of the list means
 * nothing else. Immutable.
 */
public final class RouteTable {
    private final List<Route> routes;

    public RouteTable(List<Route> routes) {
        this.routes = List.copyOf(routes);
    }

    /**
     * The routes of the service.
     *
     * @param version what {@code /healthz} reports
     */
    public static RouteTable standard(String version) {
        List<Route> routes = new ArrayList<>();
        routes.addAll(ServerRoutes.routes(version));
        routes.addAll(QueryRoutes.routes());
        routes.addAll(StoredQueryRoutes.routes());
        routes.addAll(LoadRoutes.routes());
        routes.addAll(BranchRoutes.routes());
        routes.addAll(HistoryRoutes.routes());
        routes.addAll(ChangeRoutes.routes());
        routes.addAll(SchemaRoutes.routes());
        routes.addAll(ExportRoutes.routes());
        routes.addAll(DeprecatedRoutes.routes());
        routes.addAll(BlobRoutes.routes());
        return new RouteTable(routes);
    }

    public List<Route> routes() {
        return routes;
    }

    /**
     * The routes whose template is the one that fits the decoded segments best: one for each
     * method; empty when none fits.
     */
    public List<Route> match(List<String> segments) {
        List<Route> found = new ArrayList<>(2);
        List<String> best = null;
        for (Route route : routes) {
            List<String> template = route.template();
            if (fits(template, segments)) {
                if (best != null && !best.equals(template)) {
                    if (variables(template) >= variables(best)) {
                        continue;
                    }
                    found.clear();
                }
                best = template;
                found.add(route);
            }
        }
        return found;
    }

    /** The route among those of one template that serves the method; HEAD is served by GET. */
    public static @Nullable Route select(List<Route> matched, String method) {
        String wanted = method.equals("HEAD") ? "GET" : method;
        for (Route route : matched) {
            if (route.method().equals(wanted)) {
                return route;
            }
        }
        return null;
    }

    /** The header {@code Allow} of a path. */
    public static String allow(List<Route> matched) {
        TreeSet<String> methods = new TreeSet<>();
        for (Route route : matched) {
            methods.add(route.method());
            if (route.method().equals("GET")) {
                methods.add("HEAD");
            }
        }
        return String.join(", ", methods);
    }

    private static boolean fits(List<String> template, List<String> segments) {
        if (template.size() != segments.size()) {
            return false;
        }
        for (int i = 0; i < template.size(); i++) {
            if (!isVariable(template.get(i)) && !template.get(i).equals(segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    static boolean isVariable(String segment) {
        return segment.charAt(0) == '{';
    }

    private static long variables(List<String> template) {
        return template.stream().filter(RouteTable::isVariable).count();
    }
}
