package service.log.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.value.Ulid;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.group.LogTail;

/**
 * Keeps the bytes of each group on the heap, as a store of immutable objects would. It reads events back from the bytes
 * alone and checks every field of a group. A fault loses the next group, or the answer to it.
 */
public final class MemoryGroupSink implements GroupSink {
    /** What goes wrong with the next group. */
    public enum Fault {
        /** The group is lost before anything of it is written. */
        LOST_BEFORE,
        /** The group is written, and its answer is lost. */
        LOST_AFTER,
        /** As {@link #LOST_AFTER}, and the first look at what is there fails, too. */
        LOST_AFTER_AND_LOOK
    }

    private final Ulid graph;
    private final List<byte[]> groups = new ArrayList<>();
    private @Nullable Fault fault;
    private @Nullable LogTail unsettled;

    public MemoryGroupSink(Ulid graph) {
        this.graph = graph;
    }

    public void fail(Fault next) {
        fault = next;
    }

    @Override
    public OpenGroup begin(EncodedGroup group) {
        if (unsettled != null) {
            throw new IllegalStateException("the outcome of the last group is unknown");
        }
        return new OpenGroup() {
            @Override
            public void stage() {}

            @Override
            public Outcome write(Progress progress) {
                return put(group);
            }

            @Override
            public void close() {}
        };
    }

    private Outcome put(EncodedGroup group) {
        Fault now = fault;
        if (now != Fault.LOST_BEFORE) {
            groups.add(bytes(group));
        }
        if (now == null) {
            return new Outcome.Durable();
        }
        unsettled = group.tail();
        fault = now == Fault.LOST_AFTER_AND_LOOK ? now : null;
        return new Outcome.Unknown(new IllegalStateException("no answer"));
    }

    @Override
    public Outcome settle() {
        LogTail wanted = unsettled;
        if (wanted == null) {
            throw new IllegalStateException("no outcome is unknown");
        }
        if (fault != null) {
            fault = null;
            return new Outcome.Unknown(new IllegalStateException("no answer"));
        }
        unsettled = null;
        boolean there = !groups.isEmpty()
                && Arrays.equals(Arrays.copyOfRange(groups.getLast(), 80, EncodedGroup.HEADER_BYTES), wanted.hash());
        return there ? new Outcome.Durable() : new Outcome.Refused(new IllegalStateException("not there"));
    }

    private static byte[] bytes(EncodedGroup group) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        group.write((bytes, index, length) -> {
            byte[] piece = new byte[length];
            bytes.getBytes(index, piece);
            out.writeBytes(piece);
        });
        assertThat(out.size()).isEqualTo(group.length());
        return out.toByteArray();
    }

    /** All events, from the bytes of the groups. */
    public List<Event> events(LogTail start) {
        List<Event> events = new ArrayList<>();
        EventCodec codec = new EventCodec();
        long offset = start.offset();
        byte[] hash = start.hash();
        for (byte[] group : groups) {
            UnsafeBuffer bytes = new UnsafeBuffer(group);
            CRC32C crc = new CRC32C();
            crc.update(group, 0, group.length - Integer.BYTES);
            assertThat(bytes.getInt(group.length - Integer.BYTES)).isEqualTo((int) crc.getValue());
            assertThat(bytes.getInt(0)).isEqualTo(EncodedGroup.MAGIC);
            assertThat(bytes.getInt(4)).isEqualTo(EncodedGroup.VERSION);
            assertThat(new Ulid(bytes.getLong(8), bytes.getLong(16))).isEqualTo(graph);
            assertThat(bytes.getLong(24)).isEqualTo(offset + 1);
            assertThat(bytes.getLong(32)).isEqualTo(group.length - EncodedGroup.HEADER_BYTES - Integer.BYTES);
            assertThat(Arrays.copyOfRange(group, 48, 80)).isEqualTo(hash);
            int at = EncodedGroup.HEADER_BYTES;
            for (int i = bytes.getInt(40); i > 0; i--) {
                int length = bytes.getInt(at + 8);
                UnsafeBuffer event = new UnsafeBuffer(bytes, at, length);
                offset++;
                hash = codec.verify(event, offset, hash);
                events.add(codec.decode(event, offset));
                at += length;
            }
            assertThat(at).isEqualTo(group.length - Integer.BYTES);
            assertThat(Arrays.copyOfRange(group, 80, EncodedGroup.HEADER_BYTES)).isEqualTo(hash);
        }
        return events;
    }
}
