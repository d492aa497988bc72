package service.core.testkit;

/** A test class that has the contracts of the storage ports as nested classes, and makes the graph of each test. */
public interface StorageFixture {
    /** A new graph. */
    StorageUnderTest create();
}
