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
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.copy.RelationalCopy;
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
                "A block is printed before its cursor is saved: after a crash it is printed again.",
                "With --into it keeps a copy in a database instead; `docs/change-data-capture.md` shows its tables."
            },
            footer = {
                "",
                "Examples:",
                "  service changes poll --store people --start beginning",
                "  service changes poll --server http://127.0.0.1:8080 --graph people --follow --cursor-file people.cursor",
                "  service changes poll --server http://127.0.0.1:8080 --graph people --follow --into sqlite:people.db"
            })
    static final class PollFeed extends GraphCommand {
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

        @Option(
                names = "--into",
                paramLabel = "DATABASE",
                description = "Keep a relational copy in sqlite:FILE or postgres://USER@HOST/DATABASE: a table a type.")
        private @Nullable String into;

        @Option(names = "--restart", description = "Make the copy anew from the head of the branch; only with --into.")
        private boolean restart;

        @Override
        void check() {
            if (restart && into == null) {
                throw CommandFailure.usage("--restart goes with --into");
            }
            if (into != null) {
                if (cursor != null || start != null || cursorFile != null) {
                    throw CommandFailure.usage(
                            "--into goes without --cursor, --start and --cursor-file: the copy has its place itself");
                }
                if (!filters.filters().operations().isEmpty()) {
                    throw CommandFailure.usage("--into goes without --op: a copy without some operations is none");
                }
                RelationalCopy.check(into);
            }
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
            if (into != null) {
                keepCopy(graph, into);
            } else {
                print(graph);
            }
            return null;
        }

        private void print(GraphClient graph) {
            CursorFile file = cursorFile == null ? null : new CursorFile(cursorFile);
            String place = file == null ? cursor : file.read();
            if (file != null) {
                file.requireWritable();
            }
            if (file != null && place == null && start == null) {
                output.note("there is no cursor in " + cursorFile
                        + " yet: starting now, without what was committed before (--start beginning has it)");
            }
            FeedLoop loop =
                    new FeedLoop(graph, query(place, place == null ? start : null), output, new FeedLoop.Consumer() {
                        @Override
                        public void take(ObjectNode page) {
                            PrintWriter out = output.out();
                            page.path("blocks").forEach(out::println);
                            if (output.isUnread()) {
                                throw CommandFailure.unread();
                            }
                        }

                        @Override
                        public void reached(String cursor) {
                            save(file, cursor);
                        }
                    });
            try {
                run(loop);
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

        private GraphClient.FeedQuery query(@Nullable String place, @Nullable String from) {
            return new GraphClient.FeedQuery(
                    branch, place, from, null, limit == null ? 0 : limit, 0, filters.filters());
        }

        private void run(FeedLoop loop) {
            if (follow) {
                loop.follow();
            } else {
                loop.poll();
            }
        }

        /** Brings a copy to the head of the branch, or makes it. */
        private void keepCopy(GraphClient graph, String database) {
            RelationalCopy.Source source = new RelationalCopy.Source(
                    graph, address.name(), branch == null ? "main" : branch, filters.filters());
            try (RelationalCopy copy = RelationalCopy.open(database, source)) {
                if (copy.place() == null || restart) {
                    output.note("copied " + copy.baseline() + " entities into " + copy.shown());
                }
                RelationalCopy.Place place = Objects.requireNonNull(copy.place());
                GraphClient.FeedQuery first = query(place.isPage() ? null : place.token(), null);
                FeedLoop loop = new FeedLoop(
                        graph, place.isPage() ? first.page(place.token()) : first, output, new FeedLoop.Consumer() {
                            @Override
                            public void take(ObjectNode page) {
                                copy.take(page);
                            }

                            @Override
                            public void reached(String cursor) {}
                        });
                try {
                    run(loop);
                } catch (ServiceException | CommandFailure e) {
                    throw explained(e, copy);
                }
            }
        }

        /** A gap in the feed, with its remedy. */
        private static RuntimeException explained(RuntimeException failure, RelationalCopy copy) {
            CommandFailure described = Failures.describe(failure);
            ObjectNode body = described.body();
            String code = body == null ? "" : body.path("code").asText();
            if (!code.equals("change_feed_gap") && !code.equals("snapshot_reclaimed") && !isOfCursor(failure)) {
                return failure;
            }
            return new CommandFailure(
                    described.exitCode(),
                    "the feed does not go on where the copy in " + copy.shown() + " stands (" + described.getMessage()
                            + "): run this again with --restart, which makes the copy anew from the head",
                    body);
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
