package service.cli.command;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.boot.CredentialFile;
import service.cli.client.CommandFailure;
import service.core.cluster.Principal;

/**
 * The credential by which a plan or an apply of a cluster acts. Without one it acts by the authority of the storage.
 */
final class CredentialOptions {
    @Option(
            names = "--credential",
            paramLabel = "FILE",
            description = "Act as the principal of this signed data credential; needs --data-token-trust.")
    private @Nullable Path credential;

    @Option(
            names = "--data-token-trust",
            paramLabel = "FILE",
            description = "The trust file that the credential is verified with.")
    private @Nullable Path trust;

    /**
     * The verified holder of the credential; null when none is given.
     *
     * @throws CommandFailure when only one of the two options is given
     */
    @Nullable
    Principal principal() throws IOException {
        if (credential == null && trust == null) {
            return null;
        }
        if (credential == null || trust == null) {
            throw CommandFailure.usage("--credential and --data-token-trust go together; "
                    + (trust == null ? "--data-token-trust" : "--credential") + " is missing");
        }
        return new CredentialFile(credential, trust).principal();
    }

    /**
     * Refuses an option that a run with a credential does not take.
     *
     * @param given whether the option was given
     */
    void refuse(String option, boolean given, String reason) {
        if (given && (credential != null || trust != null)) {
            throw CommandFailure.usage(option + " and --credential exclude each other: " + reason);
        }
    }
}
