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

/**
 * All routes, in one list. A literal segment wins over a variable one; the order of the list means nothing else.
 * Immutable.
 */
public final class RouteTable {
    private final List<Route> routes;

    /** By the number of their segments; within it, those with fewer variables first. */
    private final Map<Integer, List<Shape>> shapes = new HashMap<>();

    /** The routes of one template, one for each method. */
    private record Shape(List<String> template, List<Route> routes) {
        /** From the end, because most templates begin alike. */
        boolean fits(List<String> segments) {
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
        byTemplate.forEach((template, same) -> shapes.computeIfAbsent(template.size(), any -> new ArrayList<>())
                .add(new Shape(template, same)));
        shapes.values().forEach(some -> some.sort(Comparator.comparingLong(Shape::variables)));
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
     * The routes whose template is the one that fits the decoded segments best: one for each method; empty when none
     * fits.
     */
    public List<Route> match(List<String> segments) {
        for (Shape shape : shapes.getOrDefault(segments.size(), List.of())) {
            if (shape.fits(segments)) {
                return shape.routes();
            }
        }
        return List.of();
    }

    /** The route among those of one template that serves the method; HEAD is served by GET. */
    public static @Nullable Route select(List<Route> matched, String method) {
        String wanted = method.equals("HEAD") ? "GET" : method;
        for (Route route : matched) {
            if (route.endpoint().method().equals(wanted)) {
                return route;
            }
        }
        return null;
    }

    /** The header {@code Allow} of a path. */
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
        return segment.charAt(0) == '{';
    }
}
