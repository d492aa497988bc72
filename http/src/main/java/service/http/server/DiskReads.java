package service.http.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Whether a thread has waited for pages of mapped files that were not in memory: its major page faults, which Linux
 * counts in {@code /proc/thread-self/stat} (proc_pid_stat(5), field 12). Where there is no such file, the answer is
 * yes. Any thread; one question reads one file of the kernel.
 */
final class DiskReads implements BooleanSupplier {
    private static final Path STAT = Path.of("/proc/thread-self/stat");

    /** Index of the field after the name of the thread, which is in parentheses and may have spaces. */
    private static final int MAJOR_FAULTS = 9;

    private final ThreadLocal<Long> seen = ThreadLocal.withInitial(() -> 0L);

    /** Whether this thread has read a page from disk since its last call, or since it began. */
    @Override
    public boolean getAsBoolean() {
        String stat;
        try {
            stat = Files.readString(STAT);
        } catch (IOException notLinux) {
            return true;
        }
        long faults =
                Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", MAJOR_FAULTS + 2)[MAJOR_FAULTS]);
        boolean more = faults > seen.get();
        seen.set(faults);
        return more;
    }
}
