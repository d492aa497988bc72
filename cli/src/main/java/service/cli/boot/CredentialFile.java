package service.cli.boot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import service.cli.client.CommandFailure;
import service.core.cluster.Principal;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.value.Sha256;
import service.http.auth.token.SignedTokens;
import service.http.auth.token.TokenRefusedException;
import service.http.auth.token.TrustBinding;
import service.http.auth.token.VerifiedToken;

/**
 * A file with one signed data credential, and the trust file that it is verified with. The credential is verified as a
 * server does it, and never printed.
 */
public record CredentialFile(Path credential, Path trust) {
    /** More than the longest token and a line end. */
    private static final int BYTES_MAX = 8_200;

    /**
     * Verifies the credential at the present time.
     *
     * @throws CommandFailure when others can read the file, or it does not hold one token
     * @throws ServiceException UNAUTHORIZED when the credential is refused, FORBIDDEN when it is a restricted one
     * @throws service.core.error.StartRefusedException {@code trust_invalid}
     */
    public Principal principal() throws IOException {
        String token = token();
        SignedTokens signed = SignedTokens.read(trust.toString(), null, InstantSource.system(), 1);
        try {
            VerifiedToken verified = signed.verify(token, sha256(token));
            return switch (verified.profile()) {
                case RESTRICTED ->
                    throw new ServiceException(
                            ErrorCode.FORBIDDEN,
                            "%s holds a restricted credential (version 1), which can never hold config_manage or schema_apply; have an identity credential (version 2) issued"
                                    .formatted(credential));
                case IDENTITY, OIDC ->
                    new Principal(
                            verified.actor(),
                            cluster -> signed.requireServed(new TrustBinding(
                                    cluster.canonicalRoot(), cluster.clusterId(), cluster.incarnation())));
            };
        } catch (TokenRefusedException e) {
            throw new ServiceException(
                    ErrorCode.UNAUTHORIZED,
                    "the credential in %s is refused: %s; have a new one issued".formatted(credential, e.getMessage()));
        }
    }

    private String token() throws IOException {
        new OwnerOnlyFile(credential).require("have a new credential issued");
        byte[] bytes;
        try (InputStream in = Files.newInputStream(credential)) {
            bytes = in.readNBytes(BYTES_MAX);
        }
        String token = new String(bytes, StandardCharsets.ISO_8859_1).replaceFirst("\r?\n\\z", "");
        if (!SignedTokens.hasShape(token)) {
            throw new CommandFailure(
                    CommandFailure.FAILED, credential + " must hold one signed data credential and nothing else");
        }
        return token;
    }

    private static byte[] sha256(String token) {
        return Sha256.of(token.getBytes(StandardCharsets.ISO_8859_1));
    }
}
