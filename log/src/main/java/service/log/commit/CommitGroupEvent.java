package service.log.commit;

import java.nio.file.Path;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;
import service.log.group.EncodedGroup;

/** JFR event {@code service.CommitGroup}: a group of commands from its first command until readers see it. */
@Name("service.CommitGroup")
@Label("Commit Group")
@Category("Service")
@StackTrace(false)
final class CommitGroupEvent extends Event {
    private static final CommitGroupEvent PROBE = new CommitGroupEvent();

    @Label("Graph Directory")
    @Nullable
    String graph;

    @Label("Commands")
    int commands;

    @Label("Events")
    int events;

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Log Sync Time")
    @Timespan(Timespan.NANOSECONDS)
    long sync;

    /** A new event; null, without an allocation, while no recording wants it. */
    static @Nullable CommitGroupEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        CommitGroupEvent event = new CommitGroupEvent();
        event.begin();
        return event;
    }

    void end(Path directory, int groupCommands, EncodedGroup group, long syncNanos) {
        end();
        if (shouldCommit()) {
            graph = String.valueOf(directory.getFileName());
            commands = groupCommands;
            events = group.parts().size();
            bytes = group.length();
            sync = syncNanos;
            commit();
        }
    }
}
