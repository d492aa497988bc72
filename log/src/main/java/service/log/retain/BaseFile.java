package service.log.retain;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The names of files with a copy of the tables: {@code <offset, 20 digits>-<SHA-256 of the file>}, then {@code .zst}
 * for one with packed entries, or {@code .mdb} for a whole data file, as earlier versions made them.
 */
public final class BaseFile {
    /** What names of packed files end with. */
    public static final String PACKED = ".zst";

    /** What names of whole data files end with. */
    public static final String WHOLE = ".mdb";

    private static final byte[] ZSTD = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD};

    private BaseFile() {}

    /**
     * The name of the file of a base image.
     *
     * @param ending {@link #PACKED} or {@link #WHOLE}
     */
    public static String name(Retention.Base base, String ending) {
        return "%020d-%s%s".formatted(base.offset(), base.digest(), ending);
    }

    /** The file of a base image in a folder; where there is none, that of a packed one. */
    public static Path in(Path folder, Retention.Base base) {
        Path whole = folder.resolve(name(base, WHOLE));
        return Files.exists(whole) ? whole : folder.resolve(name(base, PACKED));
    }

    /**
     * How the name of a file with this content ends.
     *
     * @param first its first bytes, at least four
     */
    public static String ending(byte[] first) {
        for (int i = 0; i < ZSTD.length; i++) {
            if (i >= first.length || first[i] != ZSTD[i]) {
                return WHOLE;
            }
        }
        return PACKED;
    }
}
