package service.http.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.http.auth.token.ProtectedResource;
import service.http.route.Answer;
import service.http.route.Call;
import service.http.route.Media;
import service.http.route.Route;
import service.http.route.Weights;

/**
 * {@code /console/} and its files, for every caller: they hold no data. {@code /} leads there. All addresses are
 * relative, so that the console works behind a proxy's prefix. The OpenAPI document does not list these routes.
 */
public final class ConsoleRoutes {
    private static final Media[] ALL = {Media.SCRIPT, Media.STYLE, Media.SVG, Media.TEXT};

    /** Directories in the folder of files, at most: {@code lib/lit-html/directives}. */
    private static final int DEPTH_MAX = 3;

    /** What an identity provider adds to the address to which it sends people back; only the page itself reads it. */
    private static final String[] SIGNED_IN = {
        "code", "state", "iss", "session_state", "scope", "error", "error_description", "error_uri"
    };

    private final @Nullable ProtectedResource resource;
    private @Nullable ConsoleAssets loaded;

    private ConsoleRoutes(@Nullable ProtectedResource resource) {
        this.resource = resource;
    }

    /**
     * All routes of the console.
     *
     * @param resource where people sign in; null without OIDC identities
     */
    public static List<Route> routes(@Nullable ProtectedResource resource) {
        ConsoleRoutes console = new ConsoleRoutes(resource);
        Route index = Route.get("/console/", null, console::index).opened().answering(Media.HTML);
        if (resource != null && resource.clientId() != null) {
            index = index.with(SIGNED_IN);
        }
        List<Route> routes = new ArrayList<>(List.of(
                Route.get("/", null, call -> moved(302)).opened().answering(Media.HTML, Media.JSON),
                Route.get("/console", null, call -> moved(308)).opened().answering(Media.HTML),
                index));
        StringBuilder path = new StringBuilder("/console/{folder}");
        for (int depth = 0; depth <= DEPTH_MAX; depth++) {
            path.append("/{name").append(depth).append('}');
            routes.add(Route.get(path.toString(), null, console::file).opened().answering(ALL));
        }
        return routes;
    }

    private static Answer moved(int status) {
        return new Answer.Streamed(status, null, Map.of("Location", "console/"), 0, into -> {});
    }

    /** Read for the first request, because a start need not wait for them. */
    private synchronized ConsoleAssets assets() {
        if (loaded == null) {
            loaded = ConsoleAssets.load(resource);
        }
        return loaded;
    }

    private Answer index(Call call) {
        ConsoleAssets assets = assets();
        ConsoleFile index = assets.file(ConsoleAssets.INDEX);
        if (index == null) {
            throw new IllegalStateException("the console has no " + ConsoleAssets.INDEX);
        }
        return answer(call, assets, index, "no-cache");
    }

    private Answer file(Call call) {
        ConsoleAssets assets = assets();
        List<String> segments = call.line().segments();
        String name = String.join("/", segments.subList(2, segments.size()));
        ConsoleFile file = name.equals(ConsoleAssets.INDEX) ? null : assets.file(name);
        if (file == null || !segments.get(1).equals(assets.folder())) {
            throw ServiceException.notFound(
                    Reason.ROUTE, "the console of this server has no file " + name + " there; load /console/ again");
        }
        return answer(call, assets, file, "public, max-age=31536000, immutable");
    }

    private static Answer answer(Call call, ConsoleAssets assets, ConsoleFile file, String caching) {
        String tag = '"' + assets.tag() + '"';
        Map<String, String> headers = new LinkedHashMap<>();
        // Weak, because the compressed form has the same.
        headers.put("ETag", "W/" + tag);
        headers.put("Cache-Control", caching);
        headers.put("Vary", "Accept-Encoding");
        headers.put("Content-Security-Policy", assets.policy());
        headers.put("X-Frame-Options", "DENY");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put("Cross-Origin-Opener-Policy", "same-origin");
        if (call.isUnmodified(tag)) {
            return new Answer.Streamed(304, null, headers, 0, into -> {});
        }
        headers.put("Content-Type", file.type());
        boolean gzip = Weights.takeGzip(call.headers().values().apply("Accept-Encoding"));
        if (gzip) {
            headers.put("Content-Encoding", "gzip");
        }
        return new Answer.Kept(gzip ? file.compressed() : file.bytes(), headers);
    }
}
