package service.core.blob;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import service.core.error.ServiceException;
import service.core.value.Value;

/**
 * Reads the Blob values of one request: managed bytes go to its stage, external references are checked against the
 * graph's allowed bases. One thread, except {@link #readAside}.
 *
 * @param allowed bases of external references
 * @param staged receives managed bytes
 */
public record BlobIntake(ExternalBases allowed, StagedBlobs staged) {
    /** What the text of managed bytes begins with. */
    public static final String BASE64 = "base64:";

    private static final int PIECE = 32 << 10;

    /**
     * Reads a Blob from its text: {@code base64:} and canonical padded base64, or an absolute URI.
     *
     * @param what how the message names it
     * @throws ServiceException BAD_REQUEST with the fault; RESOURCE_LIMIT when it is too large
     */
    public Value read(String text, String what) {
        return text.startsWith(BASE64) ? managed(text, what) : external(text, what);
    }

    /**
     * The same for use together with a {@link BlobLifter} that stages what it lifts: keeps managed bytes on the heap.
     * Only blobs whose text or prefix was written with escapes come here whole. Any thread.
     */
    public Value readAside(String text, String what) {
        return text.startsWith(BASE64) ? staged.keep(decoded(text, what)) : external(text, what);
    }

    /** The text of managed bytes, as {@link #read} takes it. */
    public static String text(byte[] bytes) {
        return BASE64 + Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] decoded(String text, String what) {
        new BlobIntake(ExternalBases.NONE, StagedBlobs.measuring()).managed(text, what);
        return Base64.getDecoder().decode(text.substring(BASE64.length()));
    }

    private Value external(String text, String what) {
        try {
            ExternalBases.Location location = ExternalBases.Location.of(text);
            if (!allowed.cover(location)) {
                throw ServiceException.badRequest(what
                        + " refers to "
                        + location.scheme()
                        + "://"
                        + location.host()
                        + ", which no base of the graph's `external_blobs.allow` covers; add"
                        + " one to cluster.yaml, or send the bytes as \"base64:…\"");
            }
        } catch (IllegalArgumentException e) {
            throw noBlob(what, e);
        }
        return new Value.ExternalBlob(text);
    }

    /** Checks a Blob that will not be stored; like {@link #read}, but with any base. */
    public static Value described(String text, String what) {
        if (text.startsWith(BASE64)) {
            return new BlobIntake(ExternalBases.NONE, StagedBlobs.measuring()).managed(text, what);
        }
        try {
            ExternalBases.Location.of(text);
            return new Value.ExternalBlob(text);
        } catch (IllegalArgumentException e) {
            throw noBlob(what, e);
        }
    }

    private static ServiceException noBlob(String what, IllegalArgumentException fault) {
        return ServiceException.badRequest(what + " must be \"base64:…\" or an absolute URI: it " + fault.getMessage());
    }

    private Value managed(String text, String what) {
        StagedBlobs.Incoming incoming = staged.begin();
        try {
            CanonicalBase64 base64 = new CanonicalBase64();
            byte[] decoded = new byte[CanonicalBase64.decodedMax(PIECE) + 3];
            for (int at = BASE64.length(); at < text.length(); at += PIECE) {
                // Characters beyond Latin-1 become question marks, which are not base64 either.
                byte[] piece =
                        text.substring(at, Math.min(text.length(), at + PIECE)).getBytes(StandardCharsets.ISO_8859_1);
                int good = base64.decode(piece, 0, piece.length, decoded);
                if (good < piece.length) {
                    throw ServiceException.badRequest(what
                            + " is not canonical base64 at character "
                            + (at - BASE64.length() + good + 1)
                            + ": use A-Z a-z 0-9 + /, pad with = and leave no bits over");
                }
                incoming.write(decoded, base64.decodedBytes());
            }
            if (!base64.isWhole()) {
                throw ServiceException.badRequest(what + " is base64 that ends within a group of four: pad it with =");
            }
            return incoming.finish();
        } catch (ServiceException e) {
            incoming.drop();
            throw e;
        }
    }
}
