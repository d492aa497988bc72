package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient.Target;
import service.core.error.ServiceException;
import service.core.graph.request.ReadTarget;
import service.core.value.PointInTime;

/** The state that a read uses. */
final class TargetOptions {
    @ArgGroup
    private @Nullable Choice choice;

    /** A branch or a snapshot. */
    static final class Choice {
        @ArgGroup(exclusive = false)
        private @Nullable OfBranch ofBranch;

        @Option(names = "--snapshot", paramLabel = "COMMIT", description = "Read the state that this commit made.")
        private @Nullable String snapshot;
    }

    /** A branch, now or then. */
    static final class OfBranch {
        @Option(names = "--branch", paramLabel = "NAME", description = "Read the head of this branch (default: main).")
        private @Nullable String branch;

        @Option(
                names = "--as-of",
                paramLabel = "TIME",
                description = "Read the commit that the branch pointed to at this time: 2024-01-01T12:00:00Z,"
                        + " 2024-01-01 (where the day begins in UTC), or 30s, 5m, 2h, 7d ago.")
        private @Nullable String asOf;
    }

    Target target() {
        if (choice == null) {
            return new Target(null, null, null);
        }
        OfBranch ofBranch = choice.ofBranch;
        if (ofBranch == null) {
            return new Target(null, choice.snapshot, null);
        }
        String asOf = ofBranch.asOf == null ? null : PointInTime.of(ofBranch.asOf, Instant.now());
        requireTime(asOf);
        return new Target(ofBranch.branch, null, asOf);
    }

    /** A mistake in an option is found before the graph is opened, with the words of the command line. */
    private static void requireTime(@Nullable String asOf) {
        try {
            ReadTarget.of(null, null, asOf);
        } catch (ServiceException malformed) {
            throw CommandFailure.usage(
                    "--as-of is a time with an offset, such as 2024-01-01T12:00:00Z, a day, or an age such as 5m, not `"
                            + asOf + "`");
        }
    }

    void addTo(ObjectNode body) {
        target().addTo(body);
    }
}
