package service.log.backup;

/**
 * The bytes of a backup: one file that {@code zstd -d} can read, too, because uncompressed parts are in skippable
 * frames.
 *
 * <pre>
 *    0  u32  184D2A50, a skippable frame              little-endian throughout
 *    4  u32  16
 *    8   8   "SVBACKUP"
 *   16  u32  format version, 1
 *   20  u32  0
 *   24       one zstd frame: the payload
 * E-40  u32  184D2A5F, a skippable frame
 * E-36  u32  32
 * E-32  32   SHA-256 of all bytes before E-40
 *
 * payload    u32 length · the manifest, JSON
 *            then records, each u8 kind and
 *              1 table   u8 length · name: the entries that follow are its own, in the order of keys
 *              2 entry   u32 length of key · u32 length of value · key · value
 *              3 image   u32 length · bytes of the base image's file
 *              0 end     u64 number of entries
 * </pre>
 */
final class BackupFormat {
    static final int VERSION = 1;
    static final int FRAME_FIRST = 0x184D2A50;
    static final int FRAME_LAST = 0x184D2A5F;
    static final byte[] MAGIC = {'S', 'V', 'B', 'A', 'C', 'K', 'U', 'P'};
    static final int HEADER_BYTES = 24;
    static final int HEADER_CONTENT_BYTES = 16;
    static final int DIGEST_BYTES = 32;
    static final int TRAILER_BYTES = 8 + DIGEST_BYTES;

    static final int END = 0;
    static final int TABLE = 1;
    static final int ENTRY = 2;
    static final int IMAGE = 3;

    private BackupFormat() {}
}
