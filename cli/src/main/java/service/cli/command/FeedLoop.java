package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;

/** Asks for the pages of a feed, one after the other, and gives them to a consumer. One thread. */
final class FeedLoop {
    private static final int WAIT_SECONDS = 30;
    private static final long PAUSE_MILLIS_MIN = 100;
    private static final long PAUSE_MILLIS_MAX = 5_000;
    private static final int PAUSE_DOUBLINGS_MAX = 6;

    /** What is done with the pages. */
    interface Consumer {
        /** Takes a page. */
        void take(ObjectNode page);

        /** Takes the cursor after the last page of a poll. */
        void reached(String cursor);
    }

    private final GraphClient graph;
    private final OutputOptions output;
    private final Consumer consumer;

    /** The page that is asked for next, again after a failure. */
    private GraphClient.FeedQuery next;

    private boolean answered;

    FeedLoop(GraphClient graph, GraphClient.FeedQuery first, OutputOptions output, Consumer consumer) {
        this.graph = graph;
        this.next = first;
        this.output = output;
        this.consumer = consumer;
    }

    /** Takes the pages of one poll; returns the cursor after them. */
    String poll() {
        while (true) {
            ObjectNode page = graph.changes(next);
            answered = true;
            consumer.take(page);
            JsonNode token = page.get("next_page_token");
            if (token == null) {
                String cursor = page.path("cursor").asText();
                consumer.reached(cursor);
                return cursor;
            }
            next = next.page(token.asText());
        }
    }

    /**
     * Polls until the process is stopped. Once the server has answered, one that does not is asked again, less and less
     * often, from the page on that was missing.
     */
    void follow() {
        int wait = WAIT_SECONDS;
        int failures = 0;
        while (true) {
            try {
                next = next.from(poll(), wait);
                if (failures > 0) {
                    output.note("the server answers again");
                }
                failures = 0;
            } catch (CommandFailure failure) {
                if (!failure.isTransient() || !answered) {
                    throw failure;
                }
                if (failure.hasTimedOut() && next.waitSeconds() > 1) {
                    wait = next.waitSeconds() / 2;
                    next = next.waiting(wait);
                    output.note(failure.getMessage() + "; waiting for commits at most " + wait + " s from now on");
                    continue;
                }
                if (failures == 0) {
                    output.note(failure.getMessage() + "; asking again until it answers");
                }
                failures++;
                pause(failures);
            }
        }
    }

    /** Waits 0.1 s after the first failure, twice as long after each further one, and 5 s at most. */
    private static void pause(int failures) {
        long millis = Math.min(PAUSE_MILLIS_MAX, PAUSE_MILLIS_MIN << Math.min(failures - 1, PAUSE_DOUBLINGS_MAX));
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.cancelled();
        }
    }
}
