package service.log.segment;

/**
 * A packed object: the events of many segments in one.
 *
 * @param first offset of its first event
 * @param last offset of its last event
 */
record PackedRange(long first, long last) {
    boolean covers(long offset) {
        return first <= offset && offset <= last;
    }
}
