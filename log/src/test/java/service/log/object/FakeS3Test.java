package service.log.object;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import service.core.port.ObjectStore;
import service.core.port.RootAddress.Bucket;
import service.core.testkit.ObjectStoreContract;
import service.log.testkit.FakeS3;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** The contract over the fake over which the tests of HTTP can run, so that it behaves as the real protocol does. */
final class FakeS3Test extends ObjectStoreContract {
    private static final AtomicInteger ROOTS = new AtomicInteger();

    private static FakeS3 server;
    private static S3Client client;

    private S3ObjectStore store;

    @BeforeAll
    static void start() throws IOException {
        server = new FakeS3();
        client = S3ObjectStore.client(true)
                .endpointOverride(server.endpoint())
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("any", "any")))
                .build();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @BeforeEach
    void open() {
        store = new S3ObjectStore(
                Bucket.parse("s3://tests/root-" + ROOTS.getAndIncrement()),
                client,
                new S3ObjectStore.Limits(2, 1L << 30, 1L << 30));
    }

    @Override
    protected ObjectStore store() {
        return store;
    }

    @Override
    protected int largestBytes() {
        return 1 << 20;
    }

    /** The connection ends before the length that was announced. */
    @Override
    protected void cutWrite(String key, byte[] bytes) {
        assertThatThrownBy(() -> store.putIfAbsent(key, new CutContent(bytes))).isInstanceOf(RuntimeException.class);
    }

    @Override
    protected ObjectStore afterCrash() {
        return store;
    }
}
