package service.log.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.blob.StagedBlobs;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Stamp;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.port.ObjectStoreException.Kind;
import service.core.port.RootAddress.Bucket;
import service.core.testkit.ObjectStoreContract;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.segment.SegmentSink;
import service.log.segment.SegmentStore;
import service.log.segment.SegmentedLog;
import service.log.testkit.Groups;
import service.log.testkit.S3Proxy;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** The contract over a server with the protocol of S3 in another process, and how failures are named. */
final class S3ObjectStoreTest extends ObjectStoreContract {
    private static final String SECRET = "a-secret-that-is-wrong";
    private static final AtomicInteger ROOTS = new AtomicInteger();

    private static S3Proxy server;
    private static S3Client client;

    private S3ObjectStore store;

    @BeforeAll
    static void start(@TempDir Path scratch) throws Exception {
        server = S3Proxy.start(scratch);
        client = client(server.endpoint(), S3Proxy.SECRET_KEY).build();
        client.createBucket(bucket -> bucket.bucket("tests"));
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static S3ClientBuilder client(URI endpoint, String secret) {
        return S3ObjectStore.client(true)
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(S3Proxy.ACCESS_KEY, secret)));
    }

    @BeforeEach
    void open() {
        store = store("s3://tests/root-" + ROOTS.getAndIncrement() + "/", client);
    }

    /** Less than the limit, which takes seconds over a connection. */
    @Override
    protected int largestBytes() {
        return 1 << 20;
    }

    /** Lists two keys at a time, and sends an object of more than 6 MiB in parts of 5 MiB, the least that S3 takes. */
    private static S3ObjectStore store(String uri, S3Client client) {
        return new S3ObjectStore(Bucket.parse(uri), client, new S3ObjectStore.Limits(2, 6 << 20, 5 << 20));
    }

    /** The server under test compares first and replaces then. */
    @Override
    protected boolean matchIsAtomic() {
        return false;
    }

    @Override
    protected ObjectStore store() {
        return store;
    }

    /** Cuts the connection in the middle of the body. */
    @Override
    protected void cutWrite(String key, byte[] bytes) {
        assertThatThrownBy(() -> store.putIfAbsent(key, new CutContent(bytes))).isInstanceOf(RuntimeException.class);
    }

    @Test
    void oneRequestDeletesManyObjects() {
        AtomicInteger requests = new AtomicInteger();
        ExecutionInterceptor counting = new ExecutionInterceptor() {
            @Override
            public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
                requests.incrementAndGet();
            }
        };
        List<String> keys =
                IntStream.range(0, 20).mapToObj(number -> "many/" + number).toList();
        keys.forEach(key -> store.putIfAbsent(key, new byte[0]));
        try (S3Client counted = client(server.endpoint(), S3Proxy.SECRET_KEY)
                .overrideConfiguration(options -> options.addExecutionInterceptor(counting))
                .build()) {
            store(store.location(), counted).deleteAll(keys);
        }
        assertThat(requests).hasValue(1);
        assertThat(store.list("many/", "", 100)).isEmpty();
    }

    /** The bucket outlives every machine that uses it. */
    @Override
    protected ObjectStore afterCrash() {
        return store(store.location(), client);
    }

    @Test
    void aListOfMoreThanOnePageIsWhole() {
        IntStream.range(0, 7).forEach(i -> store.putIfAbsent("many/" + i, new byte[0]));
        assertThat(store.list("many/", "", 20)).hasSize(7).isSorted();
        assertThat(store.list("many/", "many/1", 5)).hasSize(5).endsWith("many/6");
    }

    @Test
    void anObjectThatIsTooLargeForOnePutIsSentInParts(@Seed long seed) throws IOException {
        byte[] bytes = new byte[12 << 20];
        new Random(seed).nextBytes(bytes);
        ObjectStore.Content content = new Bytes(bytes);
        assertThatThrownBy(() -> store.putIfAbsent("large", new CutContent(bytes)))
                .isInstanceOf(RuntimeException.class);
        assertThat(store.list("", "", 10)).isEmpty();
        assertThat(store.putIfAbsent("large", content)).isTrue();
        assertThat(store.putIfAbsent("large", content)).isFalse();
        assertThat(store.list("", "", 10)).containsExactly("large");
        try (InputStream read = Objects.requireNonNull(store.read("large", 0))) {
            assertThat(read.readAllBytes()).isEqualTo(bytes);
        }
        assertThat(client.listMultipartUploads(list -> list.bucket("tests")).uploads())
                .isEmpty();
    }

    /** Another client creates the object while its parts are sent. */
    @Test
    void partsDoNotReplaceAnObject() {
        byte[] bytes = new byte[12 << 20];
        ObjectStore.Content content = new Bytes(bytes) {
            @Override
            public InputStream open() {
                store.putIfAbsent("large", new byte[] {1});
                return super.open();
            }
        };
        assertThat(store.putIfAbsent("large", content)).isFalse();
        assertThat(Objects.requireNonNull(store.get("large")).bytes()).hasSize(1);
    }

    private static class Bytes implements ObjectStore.Content {
        private final byte[] bytes;

        Bytes(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public long length() {
            return bytes.length;
        }

        @Override
        public InputStream open() {
            return new ByteArrayInputStream(bytes);
        }
    }

    @Test
    void theProbeLeavesNothing() {
        StoreProbe.run(store, "01J");
        assertThat(store.list("", "", 10)).isEmpty();
    }

    /** The log of a graph over the real protocol: created, written, overtaken, and read by the next server. */
    @Test
    void aLogOfSegmentsIsKept(@TempDir Path disks) {
        SegmentedLog first = log(disks.resolve("first"));
        try (EventLog one = first.create(SmallGraph.SCHEMA, "tester", 1_000);
                EventLog other = log(disks.resolve("second")).open()) {
            assertThatThrownBy(() -> log(disks.resolve("third")).create(SmallGraph.SCHEMA, "tester", 1_000))
                    .hasMessageContaining("there is a graph at " + store.location());
            assertThat(Groups.write(sink(one), group(one, "a"))).isInstanceOf(GroupSink.Outcome.Durable.class);
            GroupSink second = sink(other);
            assertThat(Groups.write(second, group(other, "b"))).isInstanceOf(GroupSink.Outcome.Overtaken.class);
            assertThat(second.takeNew().isAll()).isTrue();
            assertThat(Groups.write(second, group(other, "b"))).isInstanceOf(GroupSink.Outcome.Durable.class);
        }
        try (EventLog next = log(disks.resolve("second")).open();
                EventReader reader = next.read()) {
            assertThat(next.tail().offset()).isEqualTo(2);
            for (int offset = 1; offset <= 2; offset++) {
                ChangeReader changes = reader.codec().changes(reader.bytes(offset), offset);
                assertThat(changes.next()).isTrue();
                assertThat(changes.id()).isEqualTo(offset == 1 ? "a" : "b");
            }
        }
    }

    private SegmentStore segments() {
        return new SegmentStore(new RepeatedReads(store), "g");
    }

    private SegmentedLog log(Path copy) {
        return new SegmentedLog(segments(), copy, LmdbOptions.unsynced(), CommitHook.NONE, "boot");
    }

    private GroupSink sink(EventLog log) {
        return new SegmentSink(log, segments(), new SegmentSink.Waits(Duration.ofMinutes(1), Duration.ZERO), () -> {});
    }

    private static EncodedGroup group(EventLog log, String id) {
        EncodedGroup group = new EncodedGroup(new EventCodec(), log.graph(), log.tail());
        ChangeBlock changes = ChangeBlock.of(List.of(SmallGraph.person(id, 1)));
        CommitHeader header = new CommitHeader(
                new Stamp(group.nextOffset(), 2_000, "tester"),
                log.tail().lastCommit().next(),
                CommitKind.MUTATION,
                new CommitHeader.Lineage("main", 0, log.tail().lastCommit(), null),
                null,
                changes.counts(),
                null);
        group.add(new Event.Commit(header, changes), StagedBlobs.NONE);
        return group;
    }

    @Test
    void aMissingBucketIsNamed() {
        ObjectStoreException failure =
                failure(() -> store("s3://absent/x", client).list("", "", 1));
        assertThat(failure.kind()).isEqualTo(Kind.NO_BUCKET);
        assertThat(failure).hasMessageContaining("s3://absent/x").hasMessageContaining("create the bucket");
        assertThat(failure(() -> store("s3://absent/x", client).putIfAbsent("k", new byte[1]))
                        .kind())
                .isEqualTo(Kind.NO_BUCKET);
    }

    @Test
    void refusedCredentialsAreNeitherRepeatedNorShown() {
        try (S3Client wrong = client(server.endpoint(), SECRET).build()) {
            ObjectStore refused = new RepeatedReads(store("s3://tests/x", wrong));
            ObjectStoreException failure = failure(() -> refused.get("k"));
            assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString())
                    .contains("s3://tests/x/k")
                    .doesNotContain(SECRET)
                    .doesNotContain(S3Proxy.ACCESS_KEY);
        }
    }

    @Test
    void aStoreThatDoesNotListenIsUnreachable() throws IOException {
        URI closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }
        try (S3Client nobody = client(closed, S3Proxy.SECRET_KEY).build()) {
            ObjectStore absent = store("s3://tests/x", nobody);
            assertThat(failure(() -> absent.get("k")).kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(failure(() -> absent.putIfAbsent("k", new byte[1])).mayPass())
                    .isTrue();
        }
    }

    /** Answers of an HTTP server that then closes the connection. */
    @ParameterizedTest
    @CsvSource({
        "503 Slow Down,SlowDown,SLOW_DOWN",
        "500 Oops,InternalError,FAILED",
        "503 Later,ServiceUnavailable,FAILED",
        "501 No,NotImplemented,UNSUITABLE",
        "400 Bad,InvalidArgument,UNSUITABLE"
    })
    void anAnswerIsNamedByItsStatusAndCode(String status, String code, Kind kind) throws Exception {
        String body = "<Error><Code>" + code + "</Code><Message>" + SECRET + "</Message></Error>";
        ObjectStoreException failure = answered("HTTP/1.1 " + status
                + "\r\nRetry-After: 7\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure).hasMessageContaining(code).hasMessageNotContaining(SECRET);
        if (kind == Kind.SLOW_DOWN) {
            assertThat(failure.retryAfter()).hasSeconds(7);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\nhalf"})
    void aCutAnswerIsUnreachable(String answer) throws Exception {
        assertThat(answered(answer).kind()).isEqualTo(Kind.UNREACHABLE);
    }

    private static ObjectStoreException answered(String answer) throws Exception {
        ObjectStoreException failure;
        Thread server;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                S3Client once = client(URI.create("http://127.0.0.1:" + socket.getLocalPort()), S3Proxy.SECRET_KEY)
                        .build()) {
            server = Thread.ofVirtual().start(() -> serve(socket, answer));
            failure = failure(() -> store("s3://tests/x", once).get("k"));
        }
        server.join();
        return failure;
    }

    private static void serve(ServerSocket socket, String answer) {
        try {
            while (true) {
                try (var connection = socket.accept()) {
                    byte[] request = new byte[8_192];
                    int length = 0;
                    while (!new String(request, 0, length, StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                        length += connection.getInputStream().read(request, length, request.length - length);
                    }
                    connection.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                }
            }
        } catch (IOException e) {
            assertThat(socket.isClosed()).isTrue();
        }
    }

    private static ObjectStoreException failure(ThrowingCallable call) {
        return org.assertj.core.api.Assertions.catchThrowableOfType(ObjectStoreException.class, call);
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3://", "s3:/bucket", "s3://B", "s3://bucket//x", "s3://bucket/a b", "s3://bucket/../x"})
    void aUriThatNamesNoBucketIsRefused(String uri) {
        assertThatThrownBy(() -> Bucket.parse(uri))
                .isInstanceOf(ServiceException.class)
                .hasMessageContaining("`" + uri + "`")
                .hasMessageContaining("s3://bucket/prefix");
    }
}
