package service.log.lmdb;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import service.core.error.ServiceException;

/** The environments that this process has open: LMDB must not open one twice. Any thread. */
final class OpenEnvironments {
    private final Map<Path, LmdbEnvironment> byPath = new ConcurrentHashMap<>();

    /** By what identifies their data files, because a directory may have been moved, or have another name. */
    private final Map<Object, LmdbEnvironment> byFile = new ConcurrentHashMap<>();

    /** @throws ServiceException CONFLICT when the environment of a directory is open */
    void requireUnopened(Path canonical) {
        Object key = OpenFiles.dataKey(canonical);
        if (byPath.containsKey(canonical) || (key != null && byFile.containsKey(key))) {
            throw ServiceException.conflict(
                    canonical + " is open in this process already: close the other handle first");
        }
    }

    void add(LmdbEnvironment opened) {
        byPath.put(opened.directory(), opened);
        Object key = opened.files().dataKey();
        if (key != null) {
            byFile.put(key, opened);
        }
    }

    void remove(LmdbEnvironment closed) {
        byPath.remove(closed.directory(), closed);
        Object key = closed.files().dataKey();
        if (key != null) {
            byFile.remove(key, closed);
        }
    }
}
