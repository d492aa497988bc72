package service.projection.storage;

/**
 * What a cleanup changes on the disk, and in a backup.
 *
 * @param logBytes of the images that the log loses, as it has them
 * @param eventBytes of the images that the log loses, compressed as a backup has them
 * @param blobBytes of the blobs that it loses
 * @param imageBytes of the base image that it makes, which backups contain; 0 when it makes none
 * @param imageBefore of the base image that this one replaces
 */
record DiskEffect(long logBytes, long eventBytes, long blobBytes, long imageBytes, long imageBefore) {
    static final DiskEffect NONE = new DiskEffect(0, 0, 0, 0, 0);

    /** Estimates differ from what is written by less than one part in this many. */
    private static final int TOLERANCE = 20;

    /**
     * Events that repeat each other compress to next to nothing in a backup. They are worth reclaiming all the same
     * where the log loses this many times what the image takes.
     */
    private static final int LOG_PER_IMAGE = 4;

    /** How much larger the base image is than the one before. */
    long imageGrowth() {
        return imageBytes == 0 ? 0 : imageBytes - imageBefore;
    }

    /** Whether a backup is not larger afterwards, or the graph itself is much smaller. */
    boolean isSmaller() {
        long growth = imageGrowth();
        return growth <= Cleanup.SMALL_IMAGE_BYTES
                || growth + imageBytes / TOLERANCE <= eventBytes + blobBytes
                || growth * LOG_PER_IMAGE <= logBytes + blobBytes;
    }
}
