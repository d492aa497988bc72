package service.cli.table;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes Arrow IPC streams, one after the other, as the server exports a state, and gives their schemas and record
 * batches to a receiver. Words of dictionaries are those of the enum in their order, so that the dictionaries are
 * passed over. Holds one message. One thread.
 *
 * @see <a href="https://arrow.apache.org/docs/format/Columnar.html">the format</a>
 */
final class ArrowMessages extends OutputStream {
    /** The server ends a batch at 4 MiB, unless one entity is longer. */
    private static final int MESSAGE_BYTES_MAX = 1 << 30;

    private static final int HEAD_BYTES = 8;
    private static final int SCHEMA = 1;
    private static final int RECORD_BATCH = 3;

    private final Receiver receiver;
    private byte[] bytes = new byte[1 << 16];
    private int filled;
    private int wanted = HEAD_BYTES;
    private int metadataBytes;
    private boolean isOpen;

    /** Gets what a stream says. */
    interface Receiver {
        /** A stream begins. */
        void begin(Map<String, String> metadata, List<String> columns) throws IOException;

        /** Some rows. The batch is valid during the call. */
        void rows(Batch batch) throws IOException;
    }

    ArrowMessages(Receiver receiver) {
        this.receiver = receiver;
    }

    /**
     * The buffers of a record batch: of each column first the bits of validity, empty where all values are there, then
     * those of its layout, children behind their parent.
     *
     * @param nodes lengths and numbers of nulls of the columns and their children, in the order of the buffers
     */
    record Batch(int rows, long[] nodes, List<ByteBuffer> buffers) {}

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        int at = offset;
        while (at < offset + length) {
            int more = Math.min(wanted - filled, offset + length - at);
            System.arraycopy(from, at, bytes, filled, more);
            filled += more;
            at += more;
            if (filled == wanted) {
                step();
            }
        }
    }

    @Override
    public void close() throws IOException {
        require(!isOpen && filled == 0);
    }

    private void step() throws IOException {
        ByteBuffer all = ByteBuffer.wrap(bytes, 0, filled).order(ByteOrder.LITTLE_ENDIAN);
        if (filled == HEAD_BYTES) {
            metadataBytes = all.getInt(4);
            require(all.getInt(0) == -1 && metadataBytes >= 0);
            isOpen = metadataBytes > 0;
            if (isOpen) {
                want(HEAD_BYTES + (long) metadataBytes);
            } else {
                begin();
            }
            return;
        }
        Table message = Table.root(slice(all, HEAD_BYTES, metadataBytes));
        long body = message.number(3, 0);
        if (filled < HEAD_BYTES + metadataBytes + body) {
            want(HEAD_BYTES + metadataBytes + body);
            return;
        }
        int kind = message.small(1);
        Table header = message.table(2);
        if (kind == SCHEMA) {
            List<String> columns = new ArrayList<>();
            for (Table field : header.tables(1)) {
                columns.add(field.text(0));
            }
            Map<String, String> metadata = new HashMap<>();
            for (Table pair : header.tables(2)) {
                metadata.put(pair.text(0), pair.text(1));
            }
            receiver.begin(metadata, columns);
        } else if (kind == RECORD_BATCH) {
            receiver.rows(batch(header, slice(all, HEAD_BYTES + metadataBytes, (int) body)));
        }
        begin();
    }

    private static Batch batch(Table header, ByteBuffer body) throws IOException {
        long[] places = header.pairs(2);
        List<ByteBuffer> buffers = new ArrayList<>(places.length / 2);
        for (int i = 0; i < places.length; i += 2) {
            require(places[i] >= 0 && places[i + 1] >= 0 && places[i] + places[i + 1] <= body.capacity());
            buffers.add(slice(body, (int) places[i], (int) places[i + 1]));
        }
        return new Batch(Math.toIntExact(header.number(0, 0)), header.pairs(1), buffers);
    }

    private void begin() {
        filled = 0;
        wanted = HEAD_BYTES;
    }

    private void want(long length) throws IOException {
        require(length <= MESSAGE_BYTES_MAX);
        wanted = (int) length;
        if (wanted > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(wanted, 2 * bytes.length));
        }
    }

    private static ByteBuffer slice(ByteBuffer of, int from, int length) {
        return of.slice(from, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void require(boolean right) throws IOException {
        if (!right) {
            throw new IOException("the export is no whole Arrow stream");
        }
    }

    /** A table of FlatBuffers: its fields are found by their numbers. */
    private record Table(ByteBuffer bytes, int at) {
        static Table root(ByteBuffer bytes) {
            return new Table(bytes, bytes.getInt(0));
        }

        /** Where a field is; 0 when it is not given. */
        private int field(int number) {
            int fields = at - bytes.getInt(at);
            int slot = 4 + 2 * number;
            int offset = slot < bytes.getShort(fields) ? bytes.getShort(fields + slot) & 0xFFFF : 0;
            return offset == 0 ? 0 : at + offset;
        }

        private int follow(int field) {
            return field + bytes.getInt(field);
        }

        long number(int number, long otherwise) {
            int field = field(number);
            return field == 0 ? otherwise : bytes.getLong(field);
        }

        int small(int number) {
            int field = field(number);
            return field == 0 ? 0 : bytes.get(field);
        }

        Table table(int number) {
            return new Table(bytes, follow(field(number)));
        }

        List<Table> tables(int number) {
            int vector = follow(field(number));
            List<Table> tables = new ArrayList<>();
            for (int i = 0; i < bytes.getInt(vector); i++) {
                tables.add(new Table(bytes, follow(vector + 4 + 4 * i)));
            }
            return tables;
        }

        String text(int number) {
            int text = follow(field(number));
            byte[] utf8 = new byte[bytes.getInt(text)];
            bytes.get(text + 4, utf8);
            return new String(utf8, StandardCharsets.UTF_8);
        }

        /** A vector of structs of two numbers of 64 bits. */
        long[] pairs(int number) {
            int field = field(number);
            if (field == 0) {
                return new long[0];
            }
            int vector = follow(field);
            long[] pairs = new long[2 * bytes.getInt(vector)];
            for (int i = 0; i < pairs.length; i++) {
                pairs[i] = bytes.getLong(vector + 4 + 8 * i);
            }
            return pairs;
        }
    }
}
