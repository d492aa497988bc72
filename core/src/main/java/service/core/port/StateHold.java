package service.core.port;

import java.util.function.Consumer;

/**
 * A state that one reader reads in several pieces, such as an export at the speed of its client. Until it is closed
 * cleanup does not take the state, for at most the time that the storage allows a read to hold it.
 *
 * <p>Thread rule: one thread, that which made it.
 */
public interface StateHold extends AutoCloseable {
    /**
     * Runs work over a view of the state, which is closed afterwards.
     *
     * @throws service.core.error.ServiceException SNAPSHOT_RECLAIMED when cleanup has taken the state: before this was
     *     made, or after the time for which it holds
     */
    void read(Consumer<GraphView> work);

    @Override
    void close();
}
