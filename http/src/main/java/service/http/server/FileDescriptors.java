package service.http.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file descriptors of this process. Thread rule: any thread. */
public final class FileDescriptors {
    private static final Logger LOG = LoggerFactory.getLogger(FileDescriptors.class);

    /** Of those that are free, the part for connections: three of four. The others are for files. */
    private static final int PART = 3;

    private static final int PARTS = 4;
    private static final int CONNECTIONS_MIN = 16;

    private FileDescriptors() {}

    private static @Nullable UnixOperatingSystemMXBean system() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system ? system : null;
    }

    /** The descriptors that the process may have; {@link Long#MAX_VALUE} where that is not known. */
    public static long max() {
        UnixOperatingSystemMXBean system = system();
        return system == null ? Long.MAX_VALUE : system.getMaxFileDescriptorCount();
    }

    /**
     * The connections that the process can have without running out of descriptors. A server without a free one can
     * neither accept connections nor open files, and continues only some time after there are free ones again.
     *
     * @param asked the limit that is set
     */
    static int connections(int asked) {
        UnixOperatingSystemMXBean system = system();
        if (system == null) {
            return asked;
        }
        long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount() - Connections.REFUSED_MAX;
        long possible = Math.max(CONNECTIONS_MIN, free / PARTS * PART);
        if (possible >= asked) {
            return asked;
        }
        LOG.warn(
                "at most {} connections are taken at one time, not {}: this process may open {} files only; raise the"
                        + " limit of open files (ulimit -n, LimitNOFILE=)",
                possible,
                asked,
                system.getMaxFileDescriptorCount());
        return (int) possible;
    }
}
