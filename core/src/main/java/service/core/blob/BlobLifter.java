package service.core.blob;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.io.BlockInputStream;
import service.core.value.Value;

/**
 * Removes the bytes of blobs from JSON before a parser reads it, so that a string of 32 MiB is never in memory. Each
 * string that begins with {@code base64:} and is canonical base64 to its end goes to the stage, decoded as it arrives;
 * the parser reads a short placeholder instead.
 *
 * <p>Invariant: no input is lost. When a string turns out not to be canonical base64, its beginning is encoded again
 * from the staged bytes, which canonical base64 allows, and the rest is passed on unchanged. When a placeholder is read
 * as text, such as a String that looks like a blob, {@link LiftedParser} encodes the blob again. Placeholders contain a
 * secret of this request and a character outside the base64 alphabet, so that no input can contain one. One thread
 * reads; parsers of the output may run on other threads.
 */
public final class BlobLifter extends BlockInputStream {
    private static final byte[] PREFIX = BlobIntake.BASE64.getBytes(StandardCharsets.US_ASCII);
    private static final int BUFFER = 32 << 10;
    private static final int SPELL_BYTES = 24 << 10;
    private static final SecureRandom RANDOM = new SecureRandom();

    private enum State {
        BETWEEN,
        HEAD,
        STRING,
        LIFTING,
        SPELLING
    }

    private final InputStream in;
    private final StagedBlobs staged;
    private final List<Value.ManagedBlob> lifted = Collections.synchronizedList(new ArrayList<>());
    private final CanonicalBase64 base64 = new CanonicalBase64();
    private final byte[] buffer = new byte[BUFFER];
    private final byte[] decoded = new byte[CanonicalBase64.decodedMax(BUFFER) + 3];
    private volatile @Nullable String secret;
    private int at;
    private int end;
    private State state = State.BETWEEN;
    private int matched;
    private boolean escaped;
    private StagedBlobs.@Nullable Incoming incoming;
    private long spelled;
    private byte[] held = {};
    private int heldAt;

    /** @param in JSON texts as UTF-8 */
    public BlobLifter(InputStream in, StagedBlobs staged) {
        this.in = in;
        this.staged = staged;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (true) {
            if (heldAt < held.length) {
                int count = Math.min(length, held.length - heldAt);
                System.arraycopy(held, heldAt, into, offset, count);
                heldAt += count;
                return count;
            }
            if (state == State.SPELLING) {
                spell();
                continue;
            }
            if (at == end) {
                at = 0;
                end = Math.max(0, in.read(buffer));
                if (end == 0) {
                    if (state != State.LIFTING) {
                        return -1;
                    }
                    state = State.SPELLING;
                    continue;
                }
            }
            if (state == State.LIFTING) {
                lift();
            } else {
                return pass(into, offset, length);
            }
        }
    }

    /** Copies text that is not part of a blob; at least one byte. */
    private int pass(byte[] into, int offset, int length) {
        int count = 0;
        while (count < length && at < end && state != State.LIFTING) {
            byte b = buffer[at++];
            into[offset + count++] = b;
            switch (state) {
                case BETWEEN -> {
                    if (b == '"') {
                        state = State.HEAD;
                        matched = 0;
                    }
                }
                case HEAD -> head(b);
                case STRING -> string(b);
                case LIFTING, SPELLING -> throw new IllegalStateException(state.toString());
            }
        }
        return count;
    }

    private void head(byte b) {
        if (b != PREFIX[matched]) {
            state = State.STRING;
            string(b);
        } else if (++matched == PREFIX.length) {
            state = State.LIFTING;
            incoming = staged.begin();
            base64.reset();
            spelled = 0;
        }
    }

    private void string(byte b) {
        if (escaped) {
            escaped = false;
        } else if (b == '\\') {
            escaped = true;
        } else if (b == '"') {
            state = State.BETWEEN;
        }
    }

    /** Stages base64 up to the end of the string or of the buffer. */
    private void lift() {
        StagedBlobs.Incoming blob = blob();
        while (at < end) {
            if (escaped && buffer[at] != '/') {
                state = State.SPELLING;
                return;
            }
            escaped = false;
            at = base64.decode(buffer, at, end, decoded);
            blob.write(decoded, base64.decodedBytes());
            if (at == end) {
                return;
            }
            if (buffer[at] == '\\') {
                // JSON may escape a slash with a backslash.
                escaped = true;
                at++;
            } else {
                if (buffer[at] == '"' && base64.isWhole()) {
                    lifted.add(blob.finish());
                    incoming = null;
                    hold(standIn(lifted.size() - 1));
                    state = State.STRING;
                } else {
                    state = State.SPELLING;
                }
                return;
            }
        }
    }

    private StagedBlobs.Incoming blob() {
        StagedBlobs.Incoming blob = incoming;
        if (blob == null) {
            throw new IllegalStateException("no blob is open");
        }
        return blob;
    }

    /** Returns the next piece of a string that turned out not to be a blob. */
    private void spell() {
        StagedBlobs.Incoming blob = blob();
        if (spelled < blob.length()) {
            byte[] piece = new byte[(int) Math.min(SPELL_BYTES, blob.length() - spelled)];
            spelled += blob.read(spelled, piece);
            hold(Base64.getEncoder().encode(piece));
            return;
        }
        blob.drop();
        incoming = null;
        byte[] pending = base64.pending();
        byte[] tail = java.util.Arrays.copyOf(pending, pending.length + (escaped ? 1 : 0));
        if (escaped) {
            tail[pending.length] = '\\';
        }
        hold(tail);
        state = State.STRING;
    }

    private void hold(byte[] bytes) {
        held = bytes;
        heldAt = 0;
    }

    /** The placeholder after the prefix. */
    private byte[] standIn(int index) {
        String mine = secret;
        if (mine == null) {
            byte[] random = new byte[16];
            RANDOM.nextBytes(random);
            mine = "!" + HexFormat.of().formatHex(random);
            secret = mine;
        }
        return (mine + HexFormat.of().toHexDigits(index)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The blob of a placeholder; null for any other text. */
    Value.@Nullable ManagedBlob blobOf(String text) {
        String mine = secret;
        int index = mine == null ? 0 : PREFIX.length + mine.length();
        if (mine == null
                || text.length() != index + 8
                || !text.startsWith(mine, PREFIX.length)
                || !text.startsWith(BlobIntake.BASE64)) {
            return null;
        }
        return lifted.get(HexFormat.fromHexDigits(text, index, index + 8));
    }

    /** Whether a text of this length can be a placeholder. */
    boolean mayStandIn(int length) {
        return secret != null && length == PREFIX.length + 33 + 8;
    }

    /** The text as it was in the input. */
    String spell(Value.ManagedBlob blob) {
        byte[] bytes = new byte[(int) blob.size()];
        staged.read(blob, 0, bytes, bytes.length);
        return BlobIntake.text(bytes);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
