package service.connect;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * What is stored as an offset: where the feed continues after a record. Any thread.
 *
 * @param place null while a baseline is not whole: then it is taken again
 * @param passed the commit after which the feed continues, among those that follow the place; null where all of them do
 * @param schemaVersion of the schema of the record; 0 where it is not known
 */
record Position(@Nullable Place place, @Nullable String passed, int schemaVersion) {
    private static final String CURSOR = "cursor";
    private static final String PAGE_TOKEN = "page_token";
    private static final String PASSED = "after_commit";
    private static final String VERSION = "schema_version";
    private static final String BASELINE = "baseline";

    /**
     * A place that the server gave.
     *
     * @param token a cursor, or the token of a page
     */
    record Place(String token, boolean isPage) {
        static Place cursor(String cursor) {
            return new Place(cursor, false);
        }
    }

    static Position unfinishedBaseline(int schemaVersion) {
        return new Position(null, null, schemaVersion);
    }

    /** The form that Connect stores. */
    Map<String, Object> toOffset() {
        Map<String, Object> offset = new HashMap<>();
        if (place == null) {
            offset.put(BASELINE, "unfinished");
        } else {
            offset.put(place.isPage() ? PAGE_TOKEN : CURSOR, place.token());
        }
        if (passed != null) {
            offset.put(PASSED, passed);
        }
        offset.put(VERSION, (long) schemaVersion);
        return offset;
    }

    /**
     * Reads the form that Connect stores.
     *
     * @throws ConnectException where it is none
     */
    static Position of(Map<String, ?> offset) {
        Object cursor = offset.get(CURSOR);
        Object page = offset.get(PAGE_TOKEN);
        String passed = offset.get(PASSED) instanceof String commit ? commit : null;
        int version = offset.get(VERSION) instanceof Number number ? number.intValue() : 0;
        if (cursor instanceof String token && page == null) {
            return new Position(new Place(token, false), passed, version);
        }
        if (page instanceof String token && cursor == null) {
            return new Position(new Place(token, true), passed, version);
        }
        if (offset.containsKey(BASELINE)) {
            return unfinishedBaseline(version);
        }
        throw new ConnectException("the stored offset " + offset + " has neither `" + CURSOR + "` nor `" + PAGE_TOKEN
                + "`: delete the offsets of the connector, and it begins again as `snapshot.mode` says");
    }
}
