package service.projection.storage;

import org.jspecify.annotations.Nullable;
import service.log.format.EventLog;
import service.projection.table.ProjectionEnvironment;

/** The files of a graph that this process has open for writing. Any thread. */
record OwnFiles(EventLog log, ProjectionEnvironment tables, TrustFile trust) {
    /** Compares them with those at their path. */
    void check() {
        log.environment().files().check();
        tables.environment().files().check();
    }

    /** What other programs did with them, without a path; null while they are at their path. */
    @Nullable
    String finding() {
        String ofLog = log.environment().files().finding();
        return ofLog == null ? tables.environment().files().finding() : ofLog;
    }

    /**
     * Waits for open sessions, then syncs and closes the tables and marks them as clean, unless they still are. Where
     * other files are at the path by now, they keep their own mark.
     */
    void closeTables() {
        check();
        boolean marks = finding() == null && !trust.isUntouched();
        if (marks) {
            tables.environment().sync();
        }
        tables.close();
        if (marks) {
            trust.markClean();
        }
    }
}
