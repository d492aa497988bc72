package service.cli.client;

/**
 * Describes the refusals of something that is no service-server: usually of a proxy in front of one, whose answer has
 * no error body of ours. Any thread.
 */
final class ProxyAnswer {
    private ProxyAnswer() {}

    /**
     * The failure of an answer without a reason of the server.
     *
     * @param host with its port, as the URL has it
     * @param tls whether it was asked by TLS
     */
    static CommandFailure failure(String host, int status, boolean tls) {
        String said = host + " answered " + status + " without a reason of a service-server: ";
        return switch (status) {
            case 400 -> failed(said + (tls ? "is it one?" : "is it one, or does it want https://?"));
            case 401, 403, 407 -> failed(said + "a proxy in front of it refuses the request; ask who runs it");
            case 408, 504 ->
                CommandFailure.timedOut(
                        said + "a proxy in front of it waits less long than the answer takes; raise its"
                                + " limit (proxy_read_timeout of nginx, timeout server of HAProxy). A write may have been made");
            case 413 ->
                failed(said + "a proxy in front of it limits the size of requests; raise its limit"
                        + " (client_max_body_size of nginx), or load in parts with --batch N");
            case 429 -> CommandFailure.connectionLost(said + "a proxy in front of it limits the rate of requests");
            case 502, 503 ->
                CommandFailure.connectionLost(said + "a proxy in front of it does not reach it; is it running?");
            default -> failed(host + " answered " + status + " without a reason; is it a service-server?");
        };
    }

    /** The failure of a redirection, which is not followed because the token goes to no other address. */
    static CommandFailure redirection(String host, int status, String location) {
        return failed("%s answered %d and names %s; give the URL of the server itself with --server"
                .formatted(host, status, location.isEmpty() ? "no other address" : location));
    }

    private static CommandFailure failed(String message) {
        return new CommandFailure(CommandFailure.FAILED, message);
    }
}
