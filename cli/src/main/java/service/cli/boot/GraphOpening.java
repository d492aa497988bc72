package service.cli.boot;

import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import service.core.cluster.Quarantine;

/**
 * How a graph becomes known and open.
 *
 * @param id of the graph
 * @param writers the processes that write it
 * @param know checks what can be checked of a graph without opening it, and takes what must be held
 * @param check throws when an opened graph must not be served
 * @param reason logs and says why a failure keeps the graph from being served
 * @param <S> its open storage
 */
record GraphOpening<S>(
        String id,
        Writers writers,
        Supplier<Place<S>> know,
        Consumer<S> check,
        Function<RuntimeException, Quarantine> reason) {
    /**
     * What a process has of a graph that is not open.
     *
     * @param opening opens it
     * @param held gives back what is held of it
     */
    record Place<S>(Supplier<S> opening, Runnable held) {}

    /** Which processes write a graph. */
    enum Writers {
        /** This process alone. */
        THIS,
        /** This process and others. */
        ALL,
        /** Others, of which every commit is seen as soon as it was made. */
        OTHERS_HERE,
        /** Others, whose commits are taken in by polls. */
        OTHERS_ELSEWHERE;

        /** {@link service.core.port.GraphStorage#isShared}. */
        boolean isShared() {
            return this == ALL || this == OTHERS_ELSEWHERE;
        }
    }
}
