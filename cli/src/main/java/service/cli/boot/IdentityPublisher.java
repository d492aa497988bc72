package service.cli.boot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.function.Supplier;
import service.cli.client.CommandFailure;
import service.cli.client.ProviderKeys;
import service.core.cluster.ClusterIdentity;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.http.auth.token.ResourceTrustFile;
import service.http.auth.token.TrustFileException;
import service.http.auth.token.TrustFiles;
import service.log.files.DurableFiles;

/**
 * Writes the trust file of OIDC identities from a provider's keys and a file of admitted people. A server never sees a
 * part of a file: each one is checked as a server checks it, written beside the old one, and moved over it. One thread.
 */
public final class IdentityPublisher {
    /** How long a server takes a file for; it takes none that is valid for longer. */
    public static final long LIFETIME_SECONDS = 300;

    private static final int FILE_BYTES_MAX = 256 << 10;
    private static final String GROUP_MAY_READ = "rw-r-----";

    private final ProviderKeys provider;
    private final String audience;
    private final Path subjects;
    private final Path out;
    private final Supplier<ClusterIdentity> cluster;
    private final InstantSource clock;

    /**
     * @param audience the public address of the server, which access tokens name as their only {@code aud}
     * @param subjects read each time
     * @param cluster asked when the file of subjects does not say which cluster it is for
     */
    public IdentityPublisher(
            ProviderKeys provider, String audience, Path subjects, Path out, Supplier<ClusterIdentity> cluster) {
        this.provider = provider;
        this.audience = audience;
        this.subjects = subjects;
        this.out = out;
        this.cluster = cluster;
        this.clock = InstantSource.system();
    }

    /**
     * Writes the file once.
     *
     * @return {@code {revision, expires_at, keys, principals}}
     * @throws CommandFailure naming what is wrong; the file that was there stays
     */
    public ObjectNode publish() {
        ObjectNode people = people();
        ArrayNode keys = provider.read();
        long now = clock.millis() / 1_000;
        ObjectNode trust = Json.object()
                .put("version", 1)
                .put("revision", Math.max(now, publishedRevision() + 1))
                .put("generated_at", now)
                .put("expires_at", now + LIFETIME_SECONDS)
                .put("issuer", provider.issuer())
                .put("resource", audience);
        if (!people.has("cluster_id")) {
            ClusterIdentity identity = cluster.get();
            trust.put("cluster_id", identity.clusterId())
                    .put("cluster_incarnation", identity.incarnation())
                    .put("canonical_root", identity.canonicalRoot());
        }
        trust.setAll(people);
        trust.set("keys", keys);
        byte[] content = (trust + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            ResourceTrustFile.check(content, clock);
        } catch (TrustFileException e) {
            throw failed("a server would refuse what %s and the provider give: %s".formatted(subjects, e.getMessage()));
        }
        write(content);
        return Json.object()
                .put("revision", trust.path("revision").asLong())
                .put("expires_at", now + LIFETIME_SECONDS)
                .put("keys", keys.size())
                .put("principals", people.path("principals").size());
    }

    /** The members that the publisher does not know: who is admitted, to which organization, account and cluster. */
    private ObjectNode people() {
        ObjectNode people;
        try {
            people = Json.readObject(TrustFiles.read(subjects.toString(), FILE_BYTES_MAX), subjects.toString());
        } catch (TrustFileException e) {
            throw failed(subjects + ": " + e.getMessage());
        } catch (ServiceException e) {
            throw failed(String.valueOf(e.getMessage()));
        }
        for (String own :
                new String[] {"version", "revision", "generated_at", "expires_at", "issuer", "resource", "keys"}) {
            if (people.has(own)) {
                throw failed("%s: `%s` is not a member of this file; the publisher writes it".formatted(subjects, own));
            }
        }
        return people;
    }

    /** The revision of the file that is there; 0 when there is none that can be read. */
    private long publishedRevision() {
        if (!Files.exists(out)) {
            return 0;
        }
        try {
            JsonNode revision = Json.readObject(TrustFiles.read(out.toString(), FILE_BYTES_MAX), "the trust file")
                    .path("revision");
            return revision.isIntegralNumber() ? revision.asLong() : 0;
        } catch (TrustFileException e) {
            throw failed(out + ": " + e.getMessage());
        } catch (ServiceException e) {
            return 0;
        }
    }

    private void write(byte[] content) {
        Path folder = out.toAbsolutePath().getParent();
        try {
            Path fresh = Files.createTempFile(folder, "." + out.getFileName(), ".new");
            try {
                PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
                if (view != null) {
                    // The server may be another user of the same group.
                    view.setPermissions(PosixFilePermissions.fromString(GROUP_MAY_READ));
                }
                DurableFiles.write(fresh, content);
                DurableFiles.move(fresh, out);
            } finally {
                Files.deleteIfExists(fresh);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CommandFailure failed(String message) {
        return new CommandFailure(CommandFailure.FAILED, message);
    }
}
