package service.log.object;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.port.RootAddress.Bucket;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.s3.LegacyMd5Plugin;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Objects in a bucket of S3, or of a store that has its protocol. An object's version is its ETag. Each call is one
 * request, except a list of more than 1,000 keys and the creation of an object that is too large for one PUT;
 * {@link RepeatedReads} around it repeats what may be repeated.
 *
 * <p>Region, credentials and endpoint come from the default chain of the SDK. Checksums of the SDK are off, because
 * many stores do not have them; what this program stores has its own.
 */
public final class S3ObjectStore implements ObjectStore, AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

    /** How long a connection may be silent. */
    private static final Duration SILENCE_MAX = Duration.ofSeconds(10);

    private static final int PORT_MAX = 65_535;

    /**
     * What one request may have.
     *
     * @param pageKeys the number of keys of a list
     * @param putBytes the bytes of an object that is created by one request
     * @param partBytes the bytes of each part of a larger object
     */
    record Limits(int pageKeys, long putBytes, long partBytes) {
        private static final Limits OF_S3 = new Limits(1_000, 5L << 30, 64L << 20);
    }

    private static final int BAD_REQUEST = 400;
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final int NOT_IMPLEMENTED = 501;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int PRECONDITION_FAILED = 412;
    private static final int RANGE_NOT_SATISFIABLE = 416;

    /** Repetitions of a conditional write that S3 did not carry out because of a simultaneous one (409). */
    private static final int CONFLICTS_MAX = 10;

    private final Bucket root;
    private final S3Client client;
    private final Limits limits;

    /** Whether the store has refused a request that deletes several objects. */
    private volatile boolean hasNoBatches;

    S3ObjectStore(Bucket root, S3Client client, Limits limits) {
        this.root = root;
        this.client = client;
        this.limits = limits;
    }

    /**
     * The store of a root. Sends no request.
     *
     * @param pathStyle whether the bucket is in the path of URLs instead of the name of the host
     * @throws ObjectStoreException REFUSED when no region is set, UNREACHABLE when the endpoint is no URL
     */
    public static S3ObjectStore open(Bucket root, boolean pathStyle) {
        S3Client client;
        try {
            client = client(pathStyle).build();
        } catch (SdkException e) {
            throw S3Failures.of(root.uri(), e);
        } catch (NullPointerException | IllegalArgumentException e) {
            throw S3Failures.endpoint(root.uri());
        }
        if (!client.serviceClientConfiguration()
                .endpointOverride()
                .map(S3ObjectStore::isEndpoint)
                .orElse(true)) {
            client.close();
            throw S3Failures.endpoint(root.uri());
        }
        return new S3ObjectStore(root, client, Limits.OF_S3);
    }

    /** The SDK checks only that there is a scheme, and fails with the first request. */
    private static boolean isEndpoint(URI endpoint) {
        return List.of("http", "https").contains(endpoint.getScheme())
                && endpoint.getHost() != null
                && endpoint.getPort() <= PORT_MAX;
    }

    static S3ClientBuilder client(boolean pathStyle) {
        return S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT_TIMEOUT)
                        .socketTimeout(SILENCE_MAX))
                .forcePathStyle(pathStyle)
                // Most other stores want an MD5 of a request that deletes several objects.
                .addPlugin(LegacyMd5Plugin.create())
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                // Waiting for "100 Continue" would add a round trip to each PUT.
                .serviceConfiguration(
                        options -> options.chunkedEncodingEnabled(false).expectContinueEnabled(false))
                .overrideConfiguration(options -> options.retryStrategy(DefaultRetryStrategy.doNotRetry()));
    }

    @Override
    public String location() {
        return root.uri();
    }

    /** The key in the bucket. */
    private String inBucket(String key) {
        return root.prefix().isEmpty() ? key : root.prefix() + "/" + key;
    }

    /** The key below the root. */
    private String belowRoot(String inBucket) {
        return root.prefix().isEmpty()
                ? inBucket
                : inBucket.substring(root.prefix().length() + 1);
    }

    private String uri(String key) {
        return root.uri() + "/" + key;
    }

    @Override
    public @Nullable StoredObject get(String key) {
        ResponseInputStream<GetObjectResponse> body = request(key, 0);
        if (body == null) {
            return null;
        }
        try (InputStream bytes = new Whole(uri(key), body, body.response().contentLength())) {
            if (body.response().contentLength() > OBJECT_BYTES_MAX) {
                body.abort();
                throw new UncheckedIOException(
                        new IOException(uri(key) + " is larger than " + OBJECT_BYTES_MAX + " bytes"));
            }
            return new StoredObject(bytes.readAllBytes(), body.response().eTag());
        } catch (IOException e) {
            throw cut(key, e);
        } catch (SdkException e) {
            throw S3Failures.of(uri(key), e);
        }
    }

    private ObjectStoreException cut(String key, IOException e) {
        return new ObjectStoreException(
                ObjectStoreException.Kind.UNREACHABLE,
                uri(key) + ": the answer was cut (" + e.getClass().getSimpleName() + ")",
                null,
                e);
    }

    @Override
    public @Nullable InputStream read(String key, long from) {
        try {
            ResponseInputStream<GetObjectResponse> body = request(key, from);
            return body == null
                    ? null
                    : new Whole(uri(key), body, body.response().contentLength());
        } catch (AtEnd end) {
            return new ByteArrayInputStream(new byte[0]);
        }
    }

    /** The position is the end of the object, and the store gives no empty range. */
    private static final class AtEnd extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AtEnd() {
            super(null, null, false, false);
        }
    }

    private @Nullable ResponseInputStream<GetObjectResponse> request(String key, long from) {
        ObjectStore.requireKey(key);
        GetObjectRequest.Builder request =
                GetObjectRequest.builder().bucket(root.bucket()).key(inBucket(key));
        if (from > 0) {
            request.range("bytes=" + from + "-");
        }
        try {
            return client.getObject(request.build());
        } catch (S3Exception e) {
            if (isMissing(e)) {
                return null;
            }
            if (e.statusCode() == RANGE_NOT_SATISFIABLE) {
                throw new AtEnd();
            }
            throw S3Failures.of(uri(key), e);
        } catch (SdkException e) {
            throw S3Failures.of(uri(key), e);
        }
    }

    private static boolean isMissing(S3Exception e) {
        return e.statusCode() == NOT_FOUND && !S3Failures.code(e).equals("NoSuchBucket");
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        ObjectStore.requireSize(key, bytes);
        return put(key, put -> put.ifNoneMatch("*"), RequestBody.fromBytes(bytes));
    }

    @Override
    public boolean putIfAbsent(String key, Content content) {
        ObjectStore.requireSize(key, content);
        if (content.length() > limits.putBytes) {
            return putParts(key, content);
        }
        return put(
                key,
                put -> put.ifNoneMatch("*"),
                RequestBody.fromContentProvider(
                        () -> {
                            try {
                                return content.open();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        content.length(),
                        "application/octet-stream"));
    }

    private boolean putParts(String key, Content content) {
        ObjectStore.requireKey(key);
        try {
            return new S3Parts(client, uri(key), root.bucket(), inBucket(key), limits.partBytes).putIfAbsent(content);
        } catch (S3Exception e) {
            if (e.statusCode() == PRECONDITION_FAILED) {
                return false;
            }
            throw S3Failures.of(uri(key), e);
        } catch (SdkException e) {
            throw S3Failures.of(uri(key), e);
        }
    }

    @Override
    public boolean putIfMatch(String key, String version, byte[] bytes) {
        ObjectStore.requireSize(key, bytes);
        return put(key, put -> put.ifMatch(version), RequestBody.fromBytes(bytes));
    }

    /** Sets the condition of a write. */
    private interface Condition {
        void set(PutObjectRequest.Builder put);
    }

    private boolean put(String key, Condition condition, RequestBody body) {
        ObjectStore.requireKey(key);
        PutObjectRequest.Builder put =
                PutObjectRequest.builder().bucket(root.bucket()).key(inBucket(key));
        condition.set(put);
        for (int conflicts = 0; ; conflicts++) {
            try {
                client.putObject(put.build(), body);
                return true;
            } catch (S3Exception e) {
                if (e.statusCode() == PRECONDITION_FAILED || isMissing(e)) {
                    return false;
                }
                if (e.statusCode() != CONFLICT || conflicts == CONFLICTS_MAX) {
                    throw S3Failures.of(uri(key), e);
                }
            } catch (SdkException e) {
                throw S3Failures.of(uri(key), e);
            }
        }
    }

    @Override
    public void delete(String key) {
        ObjectStore.requireKey(key);
        try {
            client.deleteObject(delete -> delete.bucket(root.bucket()).key(inBucket(key)));
        } catch (S3Exception e) {
            if (!isMissing(e)) {
                throw S3Failures.of(uri(key), e);
            }
        } catch (SdkException e) {
            throw S3Failures.of(uri(key), e);
        }
    }

    /** One request, or one for each object when the store does not have the other request. */
    @Override
    public void deleteAll(List<String> keys) {
        ObjectStore.requireKeys(keys);
        if (keys.isEmpty()) {
            return;
        }
        if (hasNoBatches) {
            keys.forEach(this::delete);
            return;
        }
        List<ObjectIdentifier> objects = keys.stream()
                .map(key -> ObjectIdentifier.builder().key(inBucket(key)).build())
                .toList();
        try {
            DeleteObjectsResponse answer = client.deleteObjects(request -> request.bucket(root.bucket())
                    .delete(delete -> delete.objects(objects).quiet(true)));
            if (answer.hasErrors()) {
                requireDeleted(answer.errors());
            }
        } catch (S3Exception e) {
            if (e.statusCode() != BAD_REQUEST
                    && e.statusCode() != METHOD_NOT_ALLOWED
                    && e.statusCode() != NOT_IMPLEMENTED) {
                throw S3Failures.of(uri(keys.getFirst()), e);
            }
            hasNoBatches = true;
            keys.forEach(this::delete);
        } catch (SdkException e) {
            throw S3Failures.of(uri(keys.getFirst()), e);
        }
    }

    /** The answer names the objects that are still there. */
    private void requireDeleted(List<S3Error> errors) {
        for (S3Error error : errors) {
            String code = String.valueOf(error.code());
            if (code.equals("NoSuchKey")) {
                continue;
            }
            ObjectStoreException.Kind kind = switch (code) {
                case "AccessDenied" -> ObjectStoreException.Kind.REFUSED;
                case "SlowDown" -> ObjectStoreException.Kind.SLOW_DOWN;
                default -> ObjectStoreException.Kind.UNREACHABLE;
            };
            throw new ObjectStoreException(
                    kind,
                    uri(belowRoot(error.key())) + ": it was not deleted"
                            + (code.matches("[A-Za-z0-9.]{1,64}") ? " (" + code + ")" : ""));
        }
    }

    @Override
    public List<String> list(String prefix, String after, int keysMax) {
        ObjectStore.requireList(prefix, keysMax);
        List<String> keys = new ArrayList<>();
        String last = after;
        while (keys.size() < keysMax) {
            ListObjectsV2Response page = page(prefix, last, Math.min(limits.pageKeys, keysMax - keys.size()));
            for (S3Object object : page.contents()) {
                last = belowRoot(object.key());
                if (ObjectStore.isKey(last)) {
                    keys.add(last);
                }
            }
            if (!Boolean.TRUE.equals(page.isTruncated()) || page.contents().isEmpty()) {
                break;
            }
        }
        return List.copyOf(keys);
    }

    private ListObjectsV2Response page(String prefix, String after, int keysMax) {
        ListObjectsV2Request.Builder list = ListObjectsV2Request.builder()
                .bucket(root.bucket())
                .prefix(inBucket(prefix))
                .maxKeys(keysMax);
        if (!after.isEmpty()) {
            list.startAfter(inBucket(after));
        }
        try {
            return client.listObjectsV2(list.build());
        } catch (SdkException e) {
            throw S3Failures.of(uri(prefix), e);
        }
    }

    @Override
    public void close() {
        client.close();
    }

    /** A body that fails when it ends before its length, which the HTTP client does not report. */
    private static final class Whole extends FilterInputStream {
        private final String uri;
        private long left;

        Whole(String uri, InputStream body, long length) {
            super(body);
            this.uri = uri;
            this.left = length;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int count;
            try {
                count = in.read(into, offset, length);
            } catch (SdkException e) {
                throw new IOException(uri + ": the answer was cut", e);
            }
            left -= Math.max(0, count);
            if (count < 0 && left > 0) {
                throw new EOFException(uri + ": the answer ends " + left + " bytes before its length");
            }
            return count;
        }
    }
}
