package service.http.observe;

/** Measures the requests of one server. Thread rule: any thread; it must return at once. */
@FunctionalInterface
public interface RequestMeter {
    /** Measures nothing. */
    RequestMeter NONE = (method, route, status, nanos) -> {};

    /**
     * A request has ended.
     *
     * @param method as in the request
     * @param route the template of the path; {@code unknown} when no route fits
     * @param status 0 for a connection that was closed without a complete response
     * @param nanos time from its headers to the end of its answer
     */
    void finished(String method, String route, int status, long nanos);
}
