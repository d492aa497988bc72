package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.Rows;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.json.Json;

/** Follows a branch's changes. */
@Command(
        name = "changes",
        description = "Follows the changes of a branch.",
        footer = {"", "Example:", "  service changes poll --store people --start beginning"},
        subcommands = {ChangesCommand.PollFeed.class, ChangesCommand.Baseline.class})
final class ChangesCommand {
    private ChangesCommand() {}

    /** {@code changes poll}. */
    @Command(
            name = "poll",
            description = {
                "Prints the blocks of a branch's change feed as NDJSON: one line for each commit, or several for a long one.",
                "A block is printed before its cursor is saved: after a crash it is printed again."
            },
            footer = {
                "",
                "Examples:",
                "  service changes poll --store people --start beginning",
                "  service changes poll --server http://127.0.0.1:8080 --graph people --follow --cursor-file people.cursor"
            })
    static final class PollFeed extends GraphCommand {
        private static final int WAIT_SECONDS = 30;
        private static final long PAUSE_MILLIS_MIN = 100;
        private static final long PAUSE_MILLIS_MAX = 5_000;
        private static final int PAUSE_DOUBLINGS_MAX = 6;

        @Mixin
        private FilterOptions filters = new FilterOptions();

        @Option(names = "--branch", paramLabel = "NAME", description = "The branch (default: main).")
        private @Nullable String branch;

        @Option(
                names = "--follow",
                description = "Wait for further commits until stopped; a lost connection is made again.")
        private boolean follow;

        @Option(names = "--cursor", paramLabel = "CURSOR", description = "Start from this cursor.")
        private @Nullable String cursor;

        @Option(
                names = "--start",
                paramLabel = "START",
                description = "now (default), beginning, or after:COMMIT; not used where the cursor file has a cursor.")
        private @Nullable String start;

        @Option(
                names = "--cursor-file",
                paramLabel = "FILE",
                description = "Start from the cursor in this file, and save the reached cursor to it.")
        private @Nullable Path cursorFile;

        @Option(names = "--limit", paramLabel = "N", description = "Changes in one page (default: the server's).")
        private @Nullable Integer limit;

        @Override
        void check() {
            if (cursor != null && (start != null || cursorFile != null)) {
                throw CommandFailure.usage("--cursor goes without --start and --cursor-file");
            }
            if (start != null && !start.equals("now") && !start.equals("beginning") && !start.startsWith("after:")) {
                String near = Suggestion.didYouMean(start, List.of("now", "beginning"));
                throw CommandFailure.usage("--start is now, beginning or after:COMMIT, not `" + start + "`"
                        + (near == null ? "" : "; " + near));
            }
            if (limit != null && limit < 1) {
                throw CommandFailure.usage("--limit counts from 1, not `" + limit + "`");
            }
        }

        @Override
        @Nullable
        Answer ask(GraphClient graph) {
            CursorFile file = cursorFile == null ? null : new CursorFile(cursorFile);
            String place = file == null ? cursor : file.read();
            if (file != null) {
                file.requireWritable();
            }
            if (file != null && place == null && start == null) {
                output.note("there is no cursor in " + cursorFile
                        + " yet: starting now, without what was committed before (--start beginning has it)");
            }
            GraphClient.FeedQuery poll = new GraphClient.FeedQuery(
                    branch, place, place == null ? start : null, null, limit == null ? 0 : limit, 0, filters.filters());
            if (follow) {
                follow(graph, poll, file);
            } else {
                save(file, printed(new Pages(graph, poll), file));
            }
            return null;
        }

        /**
         * Polls until the process is stopped. Once the server has answered, one that does not is asked again, less and
         * less often, from the page on that was missing.
         */
        private void follow(GraphClient graph, GraphClient.FeedQuery poll, @Nullable CursorFile file) {
            Pages pages = new Pages(graph, poll);
            int wait = WAIT_SECONDS;
            int failures = 0;
            while (true) {
                try {
                    String reached = printed(pages, file);
                    save(file, reached);
                    pages.next = poll.from(reached, wait);
                    if (failures > 0) {
                        output.note("the server answers again");
                    }
                    failures = 0;
                } catch (CommandFailure failure) {
                    if (!failure.isTransient() || !pages.answered) {
                        throw failure;
                    }
                    if (failure.hasTimedOut() && pages.next.waitSeconds() > 1) {
                        wait = pages.next.waitSeconds() / 2;
                        pages.next = pages.next.waiting(wait);
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

        /** Prints the pages of one poll; a cursor that is not accepted is named by its file. */
        private String printed(Pages pages, @Nullable CursorFile file) {
            try {
                return pages.print();
            } catch (ServiceException e) {
                if (file == null || !isOfCursor(e)) {
                    throw e;
                }
                throw new ServiceException(e.code(), file.rejected(e), e.detail(), e);
            } catch (CommandFailure e) {
                if (file == null || !isOfCursor(e)) {
                    throw e;
                }
                throw new CommandFailure(e.exitCode(), file.rejected(e), e.body());
            }
        }

        private static boolean isOfCursor(RuntimeException refusal) {
            return String.valueOf(refusal.getMessage()).contains("cursor rejected");
        }

        private void save(@Nullable CursorFile file, String reached) {
            if (file != null) {
                file.write(reached);
            } else if (!follow) {
                output.note("continue with --cursor " + reached);
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

        /** The pages of a feed, one after the other. */
        private final class Pages {
            private final GraphClient graph;

            /** The page that is asked for next, again after a failure. */
            private GraphClient.FeedQuery next;

            private boolean answered;

            Pages(GraphClient graph, GraphClient.FeedQuery first) {
                this.graph = graph;
                this.next = first;
            }

            /** Prints the pages of one poll and returns the cursor of the last one. */
            String print() {
                PrintWriter out = output.out();
                while (true) {
                    ObjectNode page = graph.changes(next);
                    answered = true;
                    page.path("blocks").forEach(out::println);
                    if (output.isUnread()) {
                        throw CommandFailure.unread();
                    }
                    JsonNode token = page.get("next_page_token");
                    if (token == null) {
                        return page.path("cursor").asText();
                    }
                    next = next.page(token.asText());
                }
            }
        }
    }

    /** {@code changes baseline}. */
    @Command(
            name = "baseline",
            description = {
                "Writes the entities of a branch's head as NDJSON, then one line with the commit and a cursor",
                "from which the feed has every later commit and nothing earlier."
            },
            footer = {
                "",
                "Example:",
                "  service changes baseline --store people --out people.ndjson --cursor-file people.cursor"
            })
    static final class Baseline extends GraphCommand {
        @Mixin
        private FilterOptions filters = new FilterOptions();

        @Option(names = "--branch", paramLabel = "NAME", description = "The branch (default: main).")
        private @Nullable String branch;

        @Option(
                names = "--out",
                paramLabel = "FILE",
                required = true,
                description = "A file, which appears when it is whole; - for standard output.")
        private String file = "-";

        @Mixin
        private ForceOption force = new ForceOption();

        @Option(
                names = "--cursor-file",
                paramLabel = "FILE",
                description = "Save the cursor to this file, for `changes poll --cursor-file`.")
        private @Nullable Path cursorFile;

        @Override
        @Nullable
        Answer ask(GraphClient graph) {
            JsonNode[] last = new JsonNode[1];
            if (file.equals("-")) {
                last[0] = write(graph, StandardOutput.stream());
            } else {
                force.file(Path.of(file)).write(into -> last[0] = write(graph, into));
            }
            String cursor = last[0].path("resume_cursor").asText();
            if (cursorFile != null) {
                new CursorFile(cursorFile).write(cursor);
            }
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            answer.set("baseline", last[0]);
            if (file.equals("-") || output.format() == Rows.Format.table) {
                output.note("baseline of commit "
                        + last[0].path("snapshot_commit_id").asText());
                return null;
            }
            return Answer.of(answer.put("file", file), (done, out) -> {});
        }

        /** Writes the records and returns the object of the last line. */
        private JsonNode write(GraphClient graph, OutputStream into) {
            LastLine lines = new LastLine(into);
            try (Progress progress = new Progress(output, "reading", "bytes")) {
                graph.baseline(branch, filters.filters(), progress.count(lines));
                lines.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            JsonNode last = Json.read(lines.last(), "the baseline's last line").path("baseline");
            if (!last.path("resume_cursor").isTextual()) {
                throw new CommandFailure(CommandFailure.FAILED, "the baseline broke off before its last line");
            }
            return last;
        }
    }
}
