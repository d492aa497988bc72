package service.core.event;

/** The positions in an event's bytes. {@link EventCodec} shows the layout; all numbers of it are here. */
final class EventLayout {
    static final int MAGIC = 0x544E5645;
    static final int VERSION = 2;

    /**
     * The version of what older programs would misread: a branch created from a commit that is not a head, a commit of
     * a kind that they do not know, and a tag.
     */
    static final int VERSION_NEWER = 3;

    /** The version of what knows edge types with several node types at an end. */
    static final int VERSION_WIDE = 4;

    /** The version of a cleanup, which older programs would not apply. */
    static final int VERSION_RECLAIMED = 5;

    static final int AT_VERSION = 4;
    static final int AT_TYPE = 6;
    static final int AT_FLAGS = 7;
    static final int AT_LENGTH = 8;
    static final int AT_HEADER_LENGTH = 12;
    static final int AT_CHANGE_COUNT = 16;
    static final int AT_CHANGES_CRC = 20;
    static final int AT_OFFSET = 24;
    static final int AT_TIME = 32;
    static final int AT_PREVIOUS_HASH = 40;
    static final int AT_CHANGES_HASH = 72;
    static final int AT_BODY = 104;

    static final int AT_COMMIT_INCARNATION = 108;
    static final int AT_COMMIT_ID = 136;
    static final int AT_COMMIT_PARENT = 152;
    static final int AT_COMMIT_MERGED_PARENT = 168;
    static final int AT_COMMIT_BRANCH = 184;

    /** Source, digest and identities, each after its length; the steps follow. */
    static final int SCHEMA_PARTS = 3;

    /** Follows the header of an event that cleanup has stripped: "GONE". */
    static final int STRIPPED_MARK = 0x454E4F47;

    static final int STRIPPED_BYTES = Integer.BYTES;

    static final int HASH_BYTES = 32;
    static final int CRC_BYTES = 4;

    /** The end of a header: its hash and its checksum. */
    static final int TRAILER_BYTES = HASH_BYTES + CRC_BYTES;

    static final int HEADER_BYTES_MIN = AT_BODY + TRAILER_BYTES;

    static final int TYPE_COMMIT = 1;
    static final int TYPE_BRANCH_CREATED = 2;
    static final int TYPE_BRANCH_DELETED = 3;
    static final int TYPE_BRANCH_FAST_FORWARDED = 4;
    static final int TYPE_WRITE_REMEMBERED = 5;
    static final int TYPE_TAG_CREATED = 6;
    static final int TYPE_TAG_DELETED = 7;
    static final int TYPE_HISTORY_RECLAIMED = 8;

    static final int FLAG_ACTOR = 1;
    static final int FLAG_IDEMPOTENCY = 1 << 1;
    static final int FLAG_PARENT = 1 << 2;
    static final int FLAG_MERGED_PARENT = 1 << 3;
    static final int FLAG_SCHEMA = 1 << 4;
    static final int FLAG_SIDES = 1 << 5;
    static final int FLAG_OF = 1 << 6;
    static final int FLAG_NOTE = 1 << 7;

    static final int CHANGE_AT_FLAGS = 4;
    static final int CHANGE_AT_ID_LENGTH = 6;
    static final int CHANGE_AT_TYPE = 8;
    static final int CHANGE_AT_ID = 12;
    static final int CHANGE_EDGE = 1;
    static final int CHANGE_BEFORE = 1 << 1;
    static final int CHANGE_AFTER = 1 << 2;
    static final int CHANGE_BEFORE_TYPED = 1 << 3;
    static final int CHANGE_AFTER_TYPED = 1 << 4;

    /** The types of an edge's ends in an image that is flagged to have them. */
    static final int ENDS_BYTES = 2 * Integer.BYTES;

    private EventLayout() {}
}
