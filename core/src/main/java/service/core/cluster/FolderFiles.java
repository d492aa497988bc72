package service.core.cluster;

import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import service.core.port.ConfigFiles;

/**
 * The files of a cluster as the graph of a folder sees them: a file that the folder has goes before the shared one of
 * the same name, and a folder in it adds its files to those of the shared folder of the same name.
 */
final class FolderFiles implements ConfigFiles {
    private final ConfigFiles files;
    private final Folder own;

    /** What is at the paths that the folders of a pattern share, so that each is read once. */
    private final Map<String, Found> shared;

    FolderFiles(ConfigFiles files, Folder own, Map<String, Found> shared) {
        this.files = files;
        this.own = own;
        this.shared = shared;
    }

    @Override
    public String name() {
        return files.name();
    }

    @Override
    public Found find(String path) {
        if (path.startsWith(own.path() + "/")) {
            return files.find(path);
        }
        String mine = own.path() + "/" + nameOf(path);
        if (!own.files().contains(mine)) {
            return common(path);
        }
        Found found = files.find(mine);
        return found instanceof Folder folder && common(path) instanceof Folder all ? merged(all, folder) : found;
    }

    private Found common(String path) {
        return shared.computeIfAbsent(path, files::find);
    }

    private static Folder merged(Folder all, Folder mine) {
        Map<String, String> byName = new TreeMap<>();
        all.files().forEach(file -> byName.put(nameOf(file), file));
        mine.files().forEach(file -> byName.put(nameOf(file), file));
        return new Folder(mine.path(), new ArrayList<>(byName.values()));
    }

    /** The last part of a path. */
    static String nameOf(String path) {
        String plain = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return plain.substring(plain.lastIndexOf('/') + 1);
    }
}
