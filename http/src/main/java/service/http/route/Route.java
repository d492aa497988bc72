package service.http.route;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.policy.Action;

/**
 * One line of the table of routes: everything that the server checks before the handler runs.
 *
 * @param path as documents write it
 * @param template its segments; one in braces is a variable
 * @param action what the caller must be allowed, or null when any caller may
 * @param isOpen answered without a credential
 * @param parameters query parameters that it knows
 * @param repeatable those of them that may stand more than once
 * @param condition whether {@code Service-If-Graph-Commit} is required, refused or not looked at; writes refuse it
 *     unless they say otherwise, so that none is taken for conditional
 * @param keyed whether it takes {@code Idempotency-Key}
 * @param successor the template of the route that replaces this deprecated one, or null
 * @param brief whether a call is known to be too small to be worth a thread of its own; asked when the body is there
 */
public record Route(
        String method,
        String path,
        List<String> template,
        @Nullable Action action,
        boolean isOpen,
        BodyRule body,
        Set<String> parameters,
        Set<String> repeatable,
        Condition condition,
        boolean keyed,
        @Nullable String successor,
        Brief brief,
        Handler handler) {
    /** What the conditional header means to a route. */
    public enum Condition {
        REQUIRED,
        REFUSED,
        IGNORED
    }

    /**
     * Answers a call. On a worker thread, where it may block, or on the I/O thread for a brief call, where it must not.
     */
    @FunctionalInterface
    public interface Handler {
        Answer answer(Call call) throws Exception;
    }

    /** Decides where a call runs. On the I/O thread; must be quick. */
    @FunctionalInterface
    public interface Brief {
        boolean test(Call call);
    }

    public static final String GRAPH = "{graph_id}";

    /** A route that changes nothing and takes no body. */
    public static Route get(String path, @Nullable Action action, Handler handler) {
        return of("GET", path, action, BodyRule.NONE, handler);
    }

    public static Route post(String path, Action action, BodyRule body, Handler handler) {
        return of("POST", path, action, body, handler);
    }

    public static Route delete(String path, Action action, Handler handler) {
        return of("DELETE", path, action, BodyRule.NONE, handler);
    }

    private static Route of(String method, String path, @Nullable Action action, BodyRule body, Handler handler) {
        return new Route(
                method,
                path,
                List.of(path.substring(1).split("/")),
                action,
                false,
                body,
                Set.of(),
                Set.of(),
                isWrite(action) ? Condition.REFUSED : Condition.IGNORED,
                false,
                null,
                call -> false,
                handler);
    }

    /** What the methods below may set differently. */
    private static final class Draft {
        @Nullable
        Action action;

        boolean isOpen;
        Set<String> parameters;
        Set<String> repeatable;
        Condition condition;
        boolean keyed;

        @Nullable
        String successor;

        Brief brief;

        Draft(Route route) {
            action = route.action;
            isOpen = route.isOpen;
            parameters = route.parameters;
            repeatable = route.repeatable;
            condition = route.condition;
            keyed = route.keyed;
            successor = route.successor;
            brief = route.brief;
        }
    }

    private Route but(Consumer<Draft> difference) {
        Draft draft = new Draft(this);
        difference.accept(draft);
        return new Route(
                method,
                path,
                template,
                draft.action,
                draft.isOpen,
                body,
                draft.parameters,
                draft.repeatable,
                draft.condition,
                draft.keyed,
                draft.successor,
                draft.brief,
                handler);
    }

    public Route opened() {
        return but(draft -> {
            draft.action = null;
            draft.isOpen = true;
        });
    }

    public Route with(String... names) {
        return but(draft -> draft.parameters = Set.of(names));
    }

    /** Takes these parameters as well, each as often as it stands. */
    public Route withRepeatable(String... names) {
        Set<String> all = new HashSet<>(parameters);
        all.addAll(List.of(names));
        return but(draft -> {
            draft.parameters = Set.copyOf(all);
            draft.repeatable = Set.of(names);
        });
    }

    public Route with(Condition rule) {
        return but(draft -> draft.condition = rule);
    }

    public Route with(Brief test) {
        return but(draft -> draft.brief = test);
    }

    /** The route takes {@code Idempotency-Key}. */
    public Route withKey() {
        return but(draft -> draft.keyed = true);
    }

    /** The route is deprecated; the other one, a template, takes its place. */
    public Route succeededBy(String other) {
        return but(draft -> draft.successor = other);
    }

    /** Whether it is a route of one graph. */
    public boolean ofGraph() {
        return template.size() > 2 && template.get(1).equals(GRAPH);
    }

    /** Whether it counts against the caller's writes. */
    public boolean writes() {
        return isWrite(action);
    }

    private static boolean isWrite(@Nullable Action action) {
        return switch (action) {
            case CHANGE, BRANCH_CREATE, BRANCH_DELETE, BRANCH_MERGE -> true;
            case null, default -> false;
        };
    }

    /** Whether a denial is told as 404, so that the names of stored queries cannot be probed. */
    public boolean hidesNames() {
        return action == Action.INVOKE_QUERY && template.contains(StoredQueryRoutes.NAME);
    }
}
