package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import service.cli.client.GraphClient.Target;

/** Which state a read looks at. */
final class TargetOptions {
    @ArgGroup private @Nullable Choice choice;

    /** At most one of the two. */
    static final class Choice {
        @Option(names = "--branch", description = "Read the head of this branch (default: main).")
        private @Nullable String branch;

        @Option(names = "--snapshot", description = "Read the state that this commit made.")
        private @Nullable String snapshot;
    }

    Target target() {
        return choice == null ? new Target(null, null) : new Target(choice.branch, choice.snapshot);
    }

    void addTo(ObjectNode body) {
        Target target = target();
        if (target.branch() != null) {
            body.put("branch", target.branch());
        }
        if (target.snapshot() != null) {
            body.put("snapshot", target.snapshot());
        }
    }
}
