package service.log.commit;

import java.nio.file.Path;
import service.log.format.EventLog;
import service.log.testkit.ProjectorContract;

/** The fake projector keeps the same contract as the real one. */
class MemoryProjectorTest extends ProjectorContract {
    @Override
    protected Projector open(EventLog events, Path scratch) {
        return new MemoryProjector(events);
    }
}
