package service.core.schema;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import service.core.value.PropertyRow;
import service.core.value.TaggedValue;
import service.core.value.Value;

/**
 * Encodes the stable identities of a catalog as bytes; together with the source they restore the same catalog.
 * Big-endian, strings as modified UTF-8 with a u16 length ({@link DataOutputStream#writeUTF}).
 *
 * <pre>
 *  u8   version, 2; 3 of a graph that had an edge type with several node types at an end
 *  i32  the next identity to mint
 *  i32  n, n × { string "Type" or "Type.property", i32 identity }
 *  i32  n, n × { string "Type(member,member)", i32 identity }      indexes
 *  i32  the next index to mint
 *  i32  n, n × { i32 property identity, i32 length, value }        values of entities older than the property
 *  in version 3:
 *  i32  the next number of an edge type with several lanes
 *  i32  n, n × { string "Type", i32 number, twice: i32 k, k × i32 identity of the node type at that place }
 * </pre>
 *
 * A value is tagged as in a {@link PropertyRow}. Version 1 ends after the indexes: its next index is the number of
 * indexes, and no property is younger than its type.
 */
public final class CatalogCodec {
    private static final int VERSION = 2;
    private static final int VERSION_WIDE = 3;

    private CatalogCodec() {}

    public static byte[] encode(Catalog catalog) {
        Map<String, Integer> named = new LinkedHashMap<>();
        Map<String, Integer> indexes = new LinkedHashMap<>();
        catalog.interfaces().forEach(type -> addNames(type.name(), type.identity(), type.properties(), named));
        catalog.nodes().forEach(type -> addType(type, named, indexes));
        catalog.edges().forEach(type -> addType(type, named, indexes));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(catalog.nextWide() == 0 ? VERSION : VERSION_WIDE);
            out.writeInt(catalog.nextIdentity());
            writeMap(out, named);
            writeMap(out, indexes);
            out.writeInt(catalog.nextIndex());
            writeMissing(out, catalog);
            if (catalog.nextWide() > 0) {
                writeWide(out, catalog);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Restores a catalog.
     *
     * @throws IllegalStateException when source and identities do not belong together
     */
    public static Catalog decode(String source, byte[] identities) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(identities))) {
            int version = in.readUnsignedByte();
            if (version < 1 || version > VERSION_WIDE) {
                throw new IllegalStateException("catalog identities of version " + version);
            }
            int next = in.readInt();
            Map<String, Integer> named = readMap(in);
            Map<String, Integer> indexes = readMap(in);
            int nextIndex = version == 1 ? indexes.size() : in.readInt();
            Map<Integer, Value> missing = version == 1 ? Map.of() : readMissing(in);
            CarriedIdentities.Wide wide = version < VERSION_WIDE ? CarriedIdentities.Wide.NONE : readWide(in);
            return SchemaCompiler.compile(
                    source,
                    Identities.restored(
                            new CarriedIdentities(named, indexes, missing, Set.of(), next, nextIndex, wide)));
        } catch (IOException e) {
            throw new IllegalStateException("damaged catalog identities", e);
        }
    }

    private static void addType(EntityType type, Map<String, Integer> named, Map<String, Integer> indexes) {
        addNames(type.name(), type.identity(), type.properties(), named);
        type.indexes()
                .forEach(index -> indexes.put(
                        type.name() + "(" + TypeBody.memberNames(type.properties(), index.members()) + ")",
                        index.identity()));
    }

    private static void addNames(String type, int identity, Iterable<Property> properties, Map<String, Integer> named) {
        named.put(type, identity);
        properties.forEach(property -> named.put(type + "." + property.name(), property.identity()));
    }

    private static void writeMap(DataOutputStream out, Map<String, Integer> map) throws IOException {
        out.writeInt(map.size());
        for (Map.Entry<String, Integer> entry : map.entrySet()) {
            out.writeUTF(entry.getKey());
            out.writeInt(entry.getValue());
        }
    }

    private static void writeMissing(DataOutputStream out, Catalog catalog) throws IOException {
        List<Property> young = new ArrayList<>();
        catalog.nodes().forEach(type -> young.addAll(type.properties()));
        catalog.edges().forEach(type -> young.addAll(type.properties()));
        young.removeIf(property -> property.missing() == null);
        out.writeInt(young.size());
        for (Property property : young) {
            ExpandableArrayBuffer value = new ExpandableArrayBuffer();
            int length = TaggedValue.put(value, 0, Objects.requireNonNull(property.missing()));
            out.writeInt(property.identity());
            out.writeInt(length);
            out.write(value.byteArray(), 0, length);
        }
    }

    /** Whether the bytes tell of an edge type that has, or had, several node types at an end. */
    public static boolean isWide(byte[] identities) {
        return identities.length > 0 && identities[0] == VERSION_WIDE;
    }

    private static void writeWide(DataOutputStream out, Catalog catalog) throws IOException {
        List<EntityType.EdgeType> wide =
                catalog.edges().stream().filter(edge -> !edge.hasOneLane()).toList();
        out.writeInt(catalog.nextWide());
        out.writeInt(wide.size());
        for (EntityType.EdgeType edge : wide) {
            out.writeUTF(edge.name());
            out.writeInt(edge.ends().number());
            for (EdgeEnd end : List.of(edge.source(), edge.destination())) {
                out.writeInt(end.places().size());
                for (int type : end.places()) {
                    out.writeInt(type);
                }
            }
        }
    }

    private static CarriedIdentities.Wide readWide(DataInputStream in) throws IOException {
        int next = in.readInt();
        int n = in.readInt();
        Map<String, CarriedIdentities.Ends> ends = new LinkedHashMap<>();
        for (int i = 0; i < n; i++) {
            String edge = in.readUTF();
            int number = in.readInt();
            ends.put(edge, new CarriedIdentities.Ends(number, readPlaces(in), readPlaces(in)));
        }
        return new CarriedIdentities.Wide(ends, next);
    }

    private static List<Integer> readPlaces(DataInputStream in) throws IOException {
        int n = in.readInt();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            places.add(in.readInt());
        }
        return places;
    }

    private static Map<Integer, Value> readMissing(DataInputStream in) throws IOException {
        Map<Integer, Value> missing = new LinkedHashMap<>();
        int n = in.readInt();
        for (int i = 0; i < n; i++) {
            int property = in.readInt();
            byte[] value = in.readNBytes(in.readInt());
            missing.put(property, TaggedValue.get(new UnsafeBuffer(value), 0, value.length));
        }
        return missing;
    }

    private static Map<String, Integer> readMap(DataInputStream in) throws IOException {
        Map<String, Integer> map = new LinkedHashMap<>();
        int n = in.readInt();
        for (int i = 0; i < n; i++) {
            map.put(in.readUTF(), in.readInt());
        }
        return map;
    }
}
