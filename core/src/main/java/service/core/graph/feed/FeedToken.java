package service.core.graph.feed;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.value.Sha256;
import service.core.value.Ulid;

/**
 * Positions in a feed as texts that the client keeps: cursors and page tokens. Each is signed with a key derived from
 * the graph's secret, which every process that serves the graph and every restored backup has. Any thread.
 *
 * <pre>
 *   0  u8   kind: 1 cursor, 2 next page of a poll, 3 next page of a commit's changes, 4 next page of a diff
 *   1  u32  incarnation of the branch                                     big-endian throughout
 *   5  i64  sequence in its history of the last commit that was passed on completely; −1 before the first
 *  13  i64  that commit's offset
 *  21  16   that commit's id: detects another history, which has another commit there
 *  37       cursor: the first 8 bytes of the filter's SHA-256
 *           page: i64 the poll's cut (a sequence) · i64 mark in the next commit, 0 at its beginning · the filter's bytes
 *           diff, from 1 on: 16 commit from · 16 commit to · i64 index of the next change · the requested names, each
 *           as i16 length and UTF-8 · the filter's bytes
 *   …  16   first half of the HMAC-SHA-256 of all bytes before it
 * </pre>
 */
public final class FeedToken {
    private static final int CURSOR = 1;
    private static final int PAGE = 2;
    private static final int COMMIT_PAGE = 3;
    private static final int DIFF_PAGE = 4;
    private static final int FIXED_BYTES = 37;
    private static final int MAC_BYTES = 16;
    private static final int DIGEST_BYTES = 8;
    private static final int TEXT_CHARS_MAX = 6 << 10;
    private static final String ALGORITHM = "HmacSHA256";

    private static final byte[] DIGEST_OF_ALL = Sha256.of(encoded(FeedFilter.ALL));

    private final Supplier<byte[]> secret;

    /**
     * Has the key; null before the first use. Each use takes a copy, because looking up an algorithm costs more than
     * the code of a cursor.
     */
    private volatile @Nullable Mac prototype;

    /**
     * The position after a commit of a branch's history.
     *
     * @param sequence of the last commit that was passed on completely; −1 before the first
     * @param commit its id; zeros before the first
     */
    record Place(int incarnation, long sequence, long offset, Ulid commit) {
        static final Ulid NO_COMMIT = new Ulid(0, 0);

        static Place beforeFirst(int incarnation) {
            return new Place(incarnation, -1, -1, NO_COMMIT);
        }
    }

    /**
     * The continuation of a poll.
     *
     * @param cut sequence of the last commit of the poll
     * @param mark how far the commit after the position was passed on; 0 at its beginning
     */
    record Page(Place place, long cut, long mark, FeedFilter filter) {}

    /**
     * The continuation of a diff.
     *
     * @param names the states as the first page named them; the branches may move between two pages
     * @param next index of the first change of the page among all changes of the diff
     */
    public record DiffPage(Ulid from, Ulid to, DiffNames names, long next, FeedFilter filter) {}

    /** Two states, each the name of a branch or a commit id. */
    public record DiffNames(String from, String to) {}

    public String diffPage(DiffPage page) {
        byte[] from = page.names().from().getBytes(StandardCharsets.UTF_8);
        byte[] to = page.names().to().getBytes(StandardCharsets.UTF_8);
        int names = 2 * Short.BYTES + from.length + to.length;
        byte[] all = new byte[1 + 5 * Long.BYTES + names + page.filter().encodedLength() + MAC_BYTES];
        ByteBuffer bytes = ByteBuffer.wrap(all).put((byte) DIFF_PAGE);
        bytes.putLong(page.from().high()).putLong(page.from().low());
        bytes.putLong(page.to().high()).putLong(page.to().low());
        bytes.putLong(page.next());
        bytes.putShort((short) from.length)
                .put(from)
                .putShort((short) to.length)
                .put(to);
        page.filter().encode(bytes);
        return seal(all);
    }

    public DiffPage readDiffPage(String text) {
        ByteBuffer bytes = open(text, DIFF_PAGE, "page token rejected: ");
        Ulid from = new Ulid(bytes.getLong(), bytes.getLong());
        Ulid to = new Ulid(bytes.getLong(), bytes.getLong());
        long next = bytes.getLong();
        return new DiffPage(from, to, new DiffNames(name(bytes), name(bytes)), next, FeedFilter.decode(bytes));
    }

    private static String name(ByteBuffer bytes) {
        byte[] name = new byte[bytes.getShort()];
        bytes.get(name);
        return new String(name, StandardCharsets.UTF_8);
    }

    /** @param secret of the graph; asked at the first use, because it may have to open the graph */
    public FeedToken(Supplier<byte[]> secret) {
        this.secret = secret;
    }

    private Mac prototype() {
        Mac made = prototype;
        if (made == null) {
            byte[] label = "change cursor".getBytes(StandardCharsets.US_ASCII);
            made = keyed(keyed(secret.get()).doFinal(label));
            prototype = made;
        }
        return made;
    }

    String cursor(Place place, FeedFilter filter) {
        byte[] all = new byte[FIXED_BYTES + DIGEST_BYTES + MAC_BYTES];
        put(ByteBuffer.wrap(all), CURSOR, place).put(digest(filter), 0, DIGEST_BYTES);
        return seal(all);
    }

    String page(Page page) {
        return page(PAGE, page);
    }

    /** The next page of a commit's changes; the position is the commit's. */
    String commitPage(Page page) {
        return page(COMMIT_PAGE, page);
    }

    private String page(int what, Page page) {
        int length = FIXED_BYTES + 2 * Long.BYTES + page.filter().encodedLength() + MAC_BYTES;
        byte[] all = new byte[length];
        ByteBuffer bytes = put(ByteBuffer.wrap(all), what, page.place());
        page.filter().encode(bytes.putLong(page.cut()).putLong(page.mark()));
        return seal(all);
    }

    /**
     * Reads a cursor.
     *
     * @throws ServiceException BAD_REQUEST {@code change cursor rejected: …}
     */
    Place readCursor(String text, FeedFilter filter) {
        ByteBuffer bytes = open(text, CURSOR, "change cursor rejected: ");
        Place place = place(bytes);
        byte[] found = new byte[DIGEST_BYTES];
        bytes.get(found);
        if (!Arrays.equals(found, Arrays.copyOf(digest(filter), DIGEST_BYTES))) {
            throw rejected("it was made with other filters; repeat those of the first poll");
        }
        return place;
    }

    /**
     * The position of a cursor, whatever its filter.
     *
     * @throws ServiceException BAD_REQUEST {@code change cursor rejected: …}
     */
    Place placeOf(String text) {
        return place(open(text, CURSOR, "change cursor rejected: "));
    }

    Page readPage(String text) {
        return readPage(text, PAGE);
    }

    Page readCommitPage(String text) {
        return readPage(text, COMMIT_PAGE);
    }

    private Page readPage(String text, int what) {
        ByteBuffer bytes = open(text, what, "page token rejected: ");
        return new Page(place(bytes), bytes.getLong(), bytes.getLong(), FeedFilter.decode(bytes));
    }

    static ServiceException rejected(String why) {
        return ServiceException.badRequest(Reason.TOKEN, "change cursor rejected: " + why);
    }

    private static ByteBuffer put(ByteBuffer into, int what, Place place) {
        into.put((byte) what).putInt(place.incarnation());
        into.putLong(place.sequence()).putLong(place.offset());
        return into.putLong(place.commit().high()).putLong(place.commit().low());
    }

    private static Place place(ByteBuffer from) {
        return new Place(from.getInt(), from.getLong(), from.getLong(), new Ulid(from.getLong(), from.getLong()));
    }

    private String seal(byte[] all) {
        byte[] mac = mac(all, all.length - MAC_BYTES);
        System.arraycopy(mac, 0, all, all.length - MAC_BYTES, MAC_BYTES);
        return text(all);
    }

    private static String text(byte[] all) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
    }

    private ByteBuffer open(String text, int what, String refusal) {
        byte[] all = verify(text, refusal);
        if (all[0] != what) {
            throw ServiceException.badRequest(
                    Reason.TOKEN,
                    refusal
                            + (all[0] == CURSOR
                                    ? "it is a cursor; give it as `cursor`"
                                    : "it is a page token of "
                                            + switch (all[0]) {
                                                case PAGE -> "`/changes`";
                                                case COMMIT_PAGE -> "a commit's changes";
                                                default -> "`/diff`";
                                            }
                                            + "; give it there as `page_token`"));
        }
        return ByteBuffer.wrap(all, 1, all.length - MAC_BYTES - 1);
    }

    /** Decodes a text and checks its signature. */
    private byte[] verify(String text, String refusal) {
        byte[] all = decoded(text);
        if (all == null || all.length < FIXED_BYTES + MAC_BYTES) {
            throw ServiceException.badRequest(Reason.TOKEN, refusal + "this service did not issue it");
        }
        int end = all.length - MAC_BYTES;
        byte[] mac = Arrays.copyOf(mac(all, end), MAC_BYTES);
        if (!MessageDigest.isEqual(mac, Arrays.copyOfRange(all, end, all.length))) {
            throw ServiceException.badRequest(Reason.TOKEN, refusal + "it belongs to another graph, or was changed");
        }
        return all;
    }

    /**
     * The bytes of a text, if it is the one spelling that {@link #seal} returns for them; else null. Unused bits of the
     * last Base64 digit could otherwise be changed without changing the bytes.
     */
    private static byte @Nullable [] decoded(String text) {
        try {
            byte[] all = text.length() > TEXT_CHARS_MAX
                    ? null
                    : Base64.getUrlDecoder().decode(text);
            return all != null && text(all).equals(text) ? all : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static byte[] digest(FeedFilter filter) {
        return filter.equals(FeedFilter.ALL) ? DIGEST_OF_ALL : Sha256.of(encoded(filter));
    }

    private static byte[] encoded(FeedFilter filter) {
        byte[] bytes = new byte[filter.encodedLength()];
        filter.encode(ByteBuffer.wrap(bytes));
        return bytes;
    }

    private static Mac keyed(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    private byte[] mac(byte[] message, int length) {
        try {
            Mac mac = (Mac) prototype().clone();
            mac.update(message, 0, length);
            return mac.doFinal();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's " + ALGORITHM + " can be copied", e);
        }
    }
}
