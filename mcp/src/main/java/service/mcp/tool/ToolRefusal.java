package service.mcp.tool;

/** The refusal of a call by a server, whose error body the agent gets as it is. */
public final class ToolRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String body;

    /** @param body a JSON object with {@code error} and {@code code}, as in {@code docs/http.md} */
    public ToolRefusal(String body) {
        super(body, null, false, false);
        this.body = body;
    }

    public String body() {
        return body;
    }
}
