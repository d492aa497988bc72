package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.undertow.connector.PooledByteBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class BufferPoolTest {
    private static final int BYTES = 64;
    private static final int KEPT = 3;

    private final BufferPool pool = new BufferPool(BYTES, KEPT);

    @Test
    void theBufferReturnedLastIsLentNextAndIsEmpty() {
        PooledByteBuffer first = pool.allocate();
        PooledByteBuffer second = pool.allocate();
        ByteBuffer buffer = second.getBuffer();
        assertThat(buffer.isDirect()).isTrue();
        assertThat(buffer.capacity()).isEqualTo(BYTES);
        buffer.putLong(1).flip();
        first.close();
        second.close();
        ByteBuffer again = pool.allocate().getBuffer();
        assertThat(again).isSameAs(buffer);
        assertThat(again.remaining()).isEqualTo(BYTES);
    }

    @Test
    void aReturnedBufferIsGoneForItsBorrowerAndIsKeptOnce() {
        PooledByteBuffer lent = pool.allocate();
        assertThat(lent.isOpen()).isTrue();
        lent.close();
        lent.close();
        assertThat(lent.isOpen()).isFalse();
        assertThatThrownBy(lent::getBuffer).isInstanceOf(IllegalStateException.class);
        assertThat(pool.kept()).isOne();
    }

    @Test
    void noMoreBuffersAreKeptThanTheNumber() {
        List<PooledByteBuffer> lent = new ArrayList<>();
        for (int i = 0; i < 2 * KEPT; i++) {
            lent.add(pool.allocate());
        }
        lent.forEach(PooledByteBuffer::close);
        assertThat(pool.kept()).isEqualTo(KEPT);
        pool.close();
        assertThat(pool.kept()).isZero();
    }

    @Test
    void buffersOnTheHeapAreNotKept() {
        PooledByteBuffer lent = pool.getArrayBackedPool().allocate();
        assertThat(lent.getBuffer().hasArray()).isTrue();
        lent.close();
        assertThat(pool.kept()).isZero();
    }

    @Test
    void aBufferIsLentToOneThreadAtATime() {
        IdentityHashMap<ByteBuffer, Boolean> taken = new IdentityHashMap<>();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            threads.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 20_000; i++) {
                    PooledByteBuffer lent = pool.allocate();
                    synchronized (taken) {
                        assertThat(taken.put(lent.getBuffer(), true)).isNull();
                    }
                    synchronized (taken) {
                        taken.remove(lent.getBuffer());
                    }
                    lent.close();
                }
            }));
        }
        threads.forEach(CompletableFuture::join);
    }
}
