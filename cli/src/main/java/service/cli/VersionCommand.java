package service.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the version of this build, as its jar's manifest states it. */
@Command(name = "version", description = "Prints the version.")
final class VersionCommand implements Runnable {
    @Spec private @Nullable CommandSpec spec;

    @Override
    public void run() {
        String version = VersionCommand.class.getPackage().getImplementationVersion();
        var out = Objects.requireNonNull(spec).commandLine().getOut();
        out.println(version == null ? "development" : version);
        out.flush();
    }
}
