package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.core.graph.request.History;

/** The page of a list whose pages are numbered. */
final class PageOptions {
    private static final int LIMIT_DEFAULT = 100;

    @Option(names = "--limit", paramLabel = "N", description = "The number of entries at most (default: 100).")
    private @Nullable Integer limit;

    @Option(names = "--before", paramLabel = "NUMBER", description = "Continue a list that said so.")
    private @Nullable Long before;

    boolean isGiven() {
        return limit != null || before != null;
    }

    void check() {
        if (limit() < 1 || limit() > History.LIMIT_MAX) {
            throw CommandFailure.usage(
                    "--limit must be an integer from 1 to " + History.LIMIT_MAX + ", not `" + limit() + "`");
        }
    }

    int limit() {
        return limit == null ? LIMIT_DEFAULT : limit;
    }

    @Nullable
    Long before() {
        return before;
    }

    /** Says how the list continues, if it does. */
    void noteMore(JsonNode answer, OutputOptions output) {
        if (answer.has("next_before")) {
            output.note("more: --before " + answer.path("next_before").asText());
        }
    }
}
