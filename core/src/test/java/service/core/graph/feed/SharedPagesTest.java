package service.core.graph.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import service.core.budget.MemoryPool;
import service.core.budget.NoWaiting;
import service.core.graph.TestGraph;
import service.core.json.Int64Form;
import service.core.policy.Caller;
import service.core.testkit.MemoryStorage;

/** Pages are rendered once, given only to callers who see the same, and reserved until their last use ends. */
final class SharedPagesTest {
    private static final Caller OWNER = Caller.unrestricted(null);
    private static final Caller STRANGER = Caller.NONE;

    private final MemoryPool memory = new MemoryPool(1 << 20);
    private final SharedPages pages = new SharedPages(memory);
    private final ChangeFeed feed = new ChangeFeed(new MemoryStorage(TestGraph.catalog()), pages);
    private final AtomicInteger rendered = new AtomicInteger();

    private SharedPages.Key key(long cut) {
        return new SharedPages.Key(
                feed,
                FeedToken.Place.beforeFirst(0),
                0,
                cut,
                true,
                FeedFilter.ALL,
                0,
                new SharedPages.Bounds(10, FeedSink.Part.NONE, 1_000, 1_000, Int64Form.NUMBER));
    }

    private Supplier<SharedPage> page(int bytes, Map<String, Boolean> shown) {
        return () -> {
            rendered.incrementAndGet();
            return new SharedPage(
                    new FeedSink.Content(List.of(ByteBuffer.allocate(bytes)), shown, null),
                    new SharedPage.End(FeedToken.Place.beforeFirst(0), 0, true, FeedSink.Part.NONE));
        };
    }

    @Test
    void threadsThatAskAtOnceGetOnePage() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        List<CompletableFuture<SharedPage>> asked = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<SharedPage> first = CompletableFuture.supplyAsync(
                    () -> pages.get(key(1), OWNER, () -> {
                        assertThatThrownBy(() -> NoWaiting.call(() -> pages.get(key(1), OWNER, page(1, Map.of()))))
                                .isInstanceOf(NoWaiting.WouldWaitException.class);
                        asked.add(CompletableFuture.supplyAsync(
                                () -> {
                                    go.countDown();
                                    return pages.get(key(1), OWNER, page(1, Map.of()));
                                },
                                threads));
                        await().until(() -> go.getCount() == 0);
                        return page(100, Map.of()).get();
                    }),
                    threads);
            first.get();
            assertThat(asked.getFirst().get()).isSameAs(first.get());
        }
        assertThat(rendered).hasValue(1);
        assertThat(pages.get(key(2), OWNER, page(1, Map.of()))).isNotNull();
        assertThat(rendered).hasValue(2);
        assertThat(pages.gauges().entries()).isEqualTo(2);
    }

    @Test
    void aCallerWhoSeesOtherNamesGetsAPageOfItsOwn() {
        SharedPage owners = pages.get(key(1), OWNER, page(1, Map.of("draft", true)));
        SharedPage strangers = pages.get(key(1), STRANGER, page(1, Map.of("draft", false)));
        assertThat(strangers).isNotSameAs(owners);
        assertThat(pages.get(key(1), OWNER, page(1, Map.of("draft", true)))).isSameAs(owners);
        assertThat(rendered).hasValue(2);
    }

    @Test
    void aFailedPageIsRenderedByTheNextWhoAsks() {
        assertThatThrownBy(() -> pages.get(key(1), OWNER, () -> {
                    throw new IllegalStateException("no page");
                }))
                .hasMessage("no page");
        assertThat(pages.get(key(1), OWNER, page(1, Map.of())).size()).isEqualTo(1);
    }

    @Test
    void theBytesAreReservedUntilTheLastUseEnds() {
        SharedPage first = pages.get(key(1), OWNER, page(1_000, Map.of()));
        SharedPage again = pages.get(key(1), OWNER, page(1_000, Map.of()));
        assertThat(memory.used()).isGreaterThanOrEqualTo(1_000);
        long used = memory.used();
        assertThat(memory.tryReserve(memory.bytesMax())).isFalse();
        assertThat(pages.gauges().entries()).isZero();
        assertThat(memory.used()).isEqualTo(used);
        first.leave();
        again.leave();
        assertThat(memory.used()).isZero();
    }

    @Test
    void aPageThatIsNotKeptIsNotReserved() {
        assertThat(pages.get(key(1), OWNER, page(1, Map.of("draft", true))).isReserved())
                .isTrue();
        assertThat(pages.get(key(1), STRANGER, page(1, Map.of("draft", false))).isReserved())
                .as("a page for one caller")
                .isFalse();
        assertThat(memory.tryReserve(memory.bytesMax() - memory.used())).isTrue();
        assertThat(pages.get(key(2), OWNER, page(1, Map.of())).isReserved())
                .as("a page while the memory is used up")
                .isFalse();
    }

    @Test
    void aPageThatIsLongerThanAllMayBeIsNotKept() {
        pages.get(key(1), OWNER, page(1 << 19, Map.of())).leave();
        assertThat(pages.gauges().entries()).isZero();
        assertThat(memory.used()).isZero();
    }
}
