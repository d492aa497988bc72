package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;

final class MemoryObjectStoreTest extends ObjectStoreContract {
    private final MemoryObjectStore store = new MemoryObjectStore();

    @Override
    protected ObjectStore store() {
        return store;
    }

    @Override
    protected void cutWrite(String key, byte[] bytes) {
        store.beforeDurable(() -> {
            throw new IllegalStateException("cut");
        });
        StoredObject present = store.get(key);
        assertThatThrownBy(() -> {
                    if (present == null) {
                        store.putIfAbsent(key, bytes);
                    } else {
                        store.putIfMatch(key, present.version(), bytes);
                    }
                })
                .hasMessage("cut");
        store.beforeDurable(() -> {});
    }

    @Override
    protected ObjectStore afterCrash() {
        return store.afterCrash();
    }
}
