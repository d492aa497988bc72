package service.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.DirectBufferProxy;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;

/** The JVM flags of {@code bin/jvm-options} suffice for LMDB behind Agrona's buffers. */
final class LmdbStartsTest {
    @TempDir Path directory;

    @Test
    void aValueThatWasPutIsRead() {
        try (Env<DirectBuffer> env =
                Env.create(DirectBufferProxy.PROXY_DB)
                        .setMapSize(1L << 20)
                        .setMaxDbs(1)
                        .open(directory.toFile(), EnvFlags.MDB_NOTLS)) {
            Dbi<DirectBuffer> dbi = env.openDbi("events", DbiFlags.MDB_CREATE);
            dbi.put(buffer("key"), buffer("value"));
            try (var txn = env.txnRead()) {
                DirectBuffer value = dbi.get(txn, buffer("key"));
                assertThat(value.getStringWithoutLengthAscii(0, value.capacity()))
                        .isEqualTo("value");
            }
        }
    }

    private static DirectBuffer buffer(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        var buffer = new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(bytes.length));
        buffer.putBytes(0, bytes);
        return buffer;
    }
}
