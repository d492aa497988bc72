package service.http.route;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.http.auth.ResourceGate;

/**
 * One entry of the route table: what the server checks before the handler runs, and the handler. Immutable.
 *
 * @param answers the media types of its answers, the usual one first; refusals are JSON whatever the client accepts
 * @param successor template of the route that replaces this deprecated one, or null
 * @param brief decides, when the body has arrived, whether the call is short enough for the I/O thread
 */
public record Route(
        Endpoint endpoint,
        Access access,
        Input input,
        List<Media> answers,
        @Nullable String successor,
        Brief brief,
        Handler handler) {
    /**
     * Which requests the route serves.
     *
     * @param path the path as the documentation writes it
     * @param template the segments of the path; a segment in braces is a variable
     */
    public record Endpoint(String method, String path, List<String> template) {
        static Endpoint of(String method, String path) {
            return new Endpoint(method, path, List.of(path.substring(1).split("/", -1)));
        }
    }

    /**
     * Who may call the route.
     *
     * @param action the action that the caller needs, or null when every caller may
     * @param alternatives actions of which one suffices to have the body read, which decides whether it is the one
     * @param isOpen true when a request needs no credential
     * @param needsIdentity true when only a credential that proves an identity is accepted
     * @param gate further checks of a route that is an OAuth resource, or null
     */
    public record Access(
            @Nullable Action action,
            Set<Action> alternatives,
            boolean isOpen,
            boolean needsIdentity,
            @Nullable ResourceGate gate) {
        private static final Access OPEN = new Access(null, Set.of(), true, false, null);
        private static final Access IDENTITY = new Access(null, Set.of(), false, true, null);

        /** Whether a caller may use the route on some branch. */
        public boolean permits(Caller caller) {
            return action == null || caller.may(action) || alternatives.stream().anyMatch(caller::may);
        }
    }

    /**
     * What a request may carry.
     *
     * @param parameters the query parameters that the route knows
     * @param repeatable those of them that may occur more than once
     * @param condition whether {@code Service-If-Graph-Commit} is required, taken, refused or ignored; writes refuse it
     *     unless they say otherwise, so that no client believes an unconditional write to be conditional
     * @param takesKey whether the route takes {@code Idempotency-Key}
     * @param takesNote whether the route takes the headers of a note, and with them a longer header block
     */
    public record Input(
            BodyRule body,
            Set<String> parameters,
            Set<String> repeatable,
            Condition condition,
            boolean takesKey,
            boolean takesNote) {
        private static Input of(BodyRule body, boolean isWrite) {
            return new Input(body, Set.of(), Set.of(), isWrite ? Condition.REFUSED : Condition.IGNORED, false, false);
        }

        private Input with(Set<String> names) {
            return new Input(body, names, repeatable, condition, takesKey, takesNote);
        }

        private Input withRepeatable(Set<String> names) {
            Set<String> all = new HashSet<>(parameters);
            all.addAll(names);
            return new Input(body, Set.copyOf(all), names, condition, takesKey, takesNote);
        }

        private Input with(Condition rule) {
            return new Input(body, parameters, repeatable, rule, takesKey, takesNote);
        }

        private Input withKey() {
            return new Input(body, parameters, repeatable, condition, true, takesNote);
        }

        private Input withNote() {
            return new Input(body, parameters, repeatable, condition, takesKey, true);
        }
    }

    /** How a route treats {@code Service-If-Graph-Commit}. */
    public enum Condition {
        REQUIRED,
        OPTIONAL,
        REFUSED,
        IGNORED
    }

    /**
     * Answers a call. Runs on a worker thread and may block; a brief call runs on the I/O thread and must not block.
     */
    @FunctionalInterface
    public interface Handler {
        Answer answer(Call call) throws Exception;
    }

    /** Decides on which thread a call runs. Runs on the I/O thread and must be quick. */
    @FunctionalInterface
    public interface Brief {
        boolean test(Call call);
    }

    public static final String GRAPH = "{graph_id}";

    /** A route that changes nothing and takes no body. */
    public static Route get(String path, @Nullable Action action, Handler handler) {
        return of("GET", path, action, BodyRule.NONE, handler);
    }

    /** A route that takes a body. */
    public static Route post(String path, @Nullable Action action, BodyRule body, Handler handler) {
        return of("POST", path, action, body, handler);
    }

    /** A route that deletes and takes no body. */
    public static Route delete(String path, Action action, Handler handler) {
        return of("DELETE", path, action, BodyRule.NONE, handler);
    }

    private static Route of(String method, String path, @Nullable Action action, BodyRule body, Handler handler) {
        return new Route(
                Endpoint.of(method, path),
                new Access(action, Set.of(), false, false, null),
                Input.of(body, isWrite(action)),
                List.of(Media.JSON),
                null,
                call -> false,
                handler);
    }

    private Route with(Input other) {
        return new Route(endpoint, access, other, answers, successor, brief, handler);
    }

    /** This route, answered without a credential. */
    public Route opened() {
        return new Route(endpoint, Access.OPEN, input, answers, successor, brief, handler);
    }

    /** This route, answered to verified identities only and without any permission. */
    public Route forIdentities() {
        return new Route(endpoint, Access.IDENTITY, input, answers, successor, brief, handler);
    }

    /** This route, also for callers who have one of these rights instead. */
    public Route orWith(Action... alternatives) {
        return new Route(
                endpoint,
                new Access(access.action(), Set.of(alternatives), access.isOpen(), access.needsIdentity(), null),
                input,
                answers,
                successor,
                brief,
                handler);
    }

    /** This route, answered to those whom the gate admits and without any permission. */
    Route guardedBy(ResourceGate gate) {
        return new Route(
                endpoint, new Access(null, Set.of(), false, false, gate), input, answers, successor, brief, handler);
    }

    /** This route with these query parameters, each at most once in a request. */
    public Route with(String... names) {
        return with(input.with(Set.of(names)));
    }

    /** This route with these query parameters in addition, each any number of times in a request. */
    public Route withRepeatable(String... names) {
        return with(input.withRepeatable(Set.of(names)));
    }

    /** This route with another rule for {@code Service-If-Graph-Commit}. */
    public Route with(Condition rule) {
        return with(input.with(rule));
    }

    /** This route with a test that sends short calls to the I/O thread. */
    public Route with(Brief test) {
        return new Route(endpoint, access, input, answers, successor, test, handler);
    }

    /** This route, with answers of these media types, the usual one first. */
    public Route answering(Media... media) {
        return new Route(endpoint, access, input, List.of(media), successor, brief, handler);
    }

    /** This route, taking {@code Idempotency-Key}. */
    public Route withKey() {
        return with(input.withKey());
    }

    /** This route, taking the headers of a note. */
    public Route withNote() {
        return with(input.withNote());
    }

    /** This route, deprecated in favour of the route with the given template. */
    public Route succeededBy(String other) {
        return new Route(endpoint, access, input, answers, other, brief, handler);
    }

    /** Whether the route belongs to one graph. */
    public boolean ofGraph() {
        return endpoint.template().size() > 2 && endpoint.template().get(1).equals(GRAPH);
    }

    /** Whether a call counts against the write limits of its caller. */
    public boolean writes() {
        return isWrite(access.action());
    }

    /** Whether the route answers a state of a graph, and so takes {@code Service-Min-Commit}. */
    public boolean takesMinimumCommit() {
        return ofGraph()
                && !writes()
                && input.condition() != Condition.REQUIRED
                && input.body() != BodyRule.IGNORED
                && !endpoint.template().getLast().equals("queries");
    }

    /** A switch that takes null is a call of a bootstrap method with each request, so null is asked for before it. */
    private static boolean isWrite(@Nullable Action action) {
        return action != null
                && switch (action) {
                    case CHANGE, BRANCH_CREATE, BRANCH_DELETE, BRANCH_MERGE, SCHEMA_APPLY -> true;
                    default -> false;
                };
    }

    /** Whether a denial is answered with 404, so that callers cannot probe the names of stored queries. */
    public boolean hidesNames() {
        return access.action() == Action.INVOKE_QUERY && endpoint.template().contains(StoredQueryRoutes.NAME);
    }
}
