package service.projection.storage;

/**
 * What a cleanup changes on the disk, and in a backup.
 *
 * @param eventBytes of the images that the log loses, compressed as a backup has them
 * @param blobBytes of the blobs that it loses
 * @param imageBytes of the base image that it makes, which backups contain; 0 when it makes none
 * @param imageBefore of the base image that this one replaces
 */
record DiskEffect(long eventBytes, long blobBytes, long imageBytes, long imageBefore) {
    /** The base image of a graph with next to nothing in it is not worth a question. */
    static final long SMALL_BYTES = 16 << 10;

    /** Estimates differ from what is written by less than one part in this many. */
    private static final int TOLERANCE = 20;

    /** How much larger the base image is than the one before. */
    long imageGrowth() {
        return imageBytes == 0 ? 0 : imageBytes - imageBefore;
    }

    /** Whether a backup is not larger afterwards. */
    boolean isSmaller() {
        return imageGrowth() <= SMALL_BYTES || imageGrowth() + imageBytes / TOLERANCE <= eventBytes + blobBytes;
    }
}
