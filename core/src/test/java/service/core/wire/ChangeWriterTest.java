package service.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import service.core.budget.TestBudgets;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.CommitReader;
import service.core.event.EncodedEvent;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Image;
import service.core.event.SchemaChange;
import service.core.event.Stamp;
import service.core.graph.feed.FeedOutcome;
import service.core.json.Int64Form;
import service.core.json.JsonWriter;
import service.core.policy.Caller;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.testkit.Seed;
import service.core.value.CalendarText;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Ulid;
import service.core.value.Value;

/** The JSON of changes, from objects and from an event's bytes. */
final class ChangeWriterTest {
    private static final List<CommitKind> KINDS = List.of(CommitKind.values());
    private static final Catalog CATALOG = SchemaCompiler.compile("""
                    interface Aged { age: I32? }
                    node Person {
                      name: String @key
                      age: I32?
                      big: U64?
                      ok: Bool?
                      f: F32?
                      d: Date?
                      tags: [String]?
                      photo: Blob?
                    }
                    node Robot implements Aged { name: String @key }
                    edge Knows: Person -> Person { since: Date? }
                    """);
    private static final EntityType PERSON = CATALOG.nodes().iterator().next();
    private static final EntityType KNOWS = CATALOG.edges().iterator().next();

    private static int identity(EntityType type, String name) {
        return java.util.Objects.requireNonNull(type.property(name)).identity();
    }

    private static PropertyRow person(String name, Map<String, Value> more) {
        java.util.Map<Integer, Value> values = new java.util.HashMap<>();
        values.put(identity(PERSON, "name"), new Value.Text(name));
        more.forEach((property, value) -> values.put(identity(PERSON, property), value));
        return PropertyRow.of(values);
    }

    private static final List<EntityChange> CHANGES = List.of(
            new EntityChange(
                    EntityKind.NODE,
                    PERSON.identity(),
                    "a\"dé",
                    Image.ofNode(person("a\"dé", Map.of("age", new Value.Int(30)))),
                    Image.ofNode(person(
                            "a\"dé",
                            Map.of(
                                    "age", new Value.Int(-31),
                                    "big", new Value.UInt(-1),
                                    "ok", new Value.Bool(true),
                                    "f", new Value.Real(0.1f),
                                    "d", new Value.Date(0),
                                    "tags", new Value.ListOf(List.of(new Value.Text("x"))))))),
            new EntityChange(
                    EntityKind.NODE,
                    PERSON.identity(),
                    "b",
                    null,
                    Image.ofNode(person("b", Map.of("photo", new Value.ManagedBlob(new byte[32], 7))))),
            new EntityChange(
                    EntityKind.NODE,
                    PERSON.identity(),
                    "c",
                    Image.ofNode(person("c", Map.of("photo", new Value.ExternalBlob("s3://b/c")))),
                    null),
            new EntityChange(
                    EntityKind.EDGE,
                    KNOWS.identity(),
                    "k",
                    Image.ofEdge(PropertyRow.EMPTY, "b", "c"),
                    Image.ofEdge(PropertyRow.EMPTY, "c", "b")));

    private static final List<String> LINES = List.of(
            "{'kind':'node','type':{'id':'P','name':'Person'},'id':'a\\\"dé','op':'update',"
                    + "'before':{'properties':{'name':'a\\\"dé','age':30}},"
                    + "'after':{'properties':{'name':'a\\\"dé','age':-31,'big':18446744073709551615,'ok':true,"
                    + "'f':0.1,'d':'1970-01-01','tags':['x']}}}",
            "{'kind':'node','type':{'id':'P','name':'Person'},'id':'b','op':'insert','after':{'properties':"
                    + "{'name':'b','photo':{'blob':{'size':7,'etag':'\\\""
                    + "0".repeat(64)
                    + "\\\"'}}}}}",
            "{'kind':'node','type':{'id':'P','name':'Person'},'id':'c','op':'delete','before':{'properties':"
                    + "{'name':'c','photo':{'blob':{'uri':'s3://b/c'}}}}}",
            "{'kind':'edge','type':{'id':'K','name':'Knows'},'id':'k','op':'update',"
                    + "'before':{'properties':{},'endpoints':{'from':'b','to':'c'}},"
                    + "'after':{'properties':{},'endpoints':{'from':'c','to':'b'}}}");

    private static String expected(int index) {
        return LINES.get(index)
                .replace("'P'", "'" + PERSON.identity() + "'")
                .replace("'K'", "'" + KNOWS.identity() + "'")
                .replace('\'', '"');
    }

    @Test
    void writesChangesOfObjects() {
        for (int i = 0; i < CHANGES.size(); i++) {
            EntityChange change = CHANGES.get(i);
            assertThat(new String(
                            JsonWriter.bytes(json -> ChangeJson.change(json, change, CATALOG, CATALOG)),
                            StandardCharsets.UTF_8))
                    .isEqualTo(expected(i));
        }
    }

    @Test
    void writesTheSameFromAnEventsBytesAfterAnyMark() {
        EventCodec codec = new EventCodec();
        UnsafeBuffer bytes = bytes(codec, header(null));
        ChangeReader reader = codec.changes(bytes, 5);
        for (int i = 0; i < CHANGES.size(); i++) {
            long mark = reader.mark();
            assertThat(reader.hasNext()).isTrue();
            assertThat(reader.next()).isTrue();
            assertThat(text(writer -> writer.change(CATALOG, reader))).isEqualTo(expected(i));
            CommitReader commit = new CommitReader(codec);
            codec.commit(bytes, 5, mark, commit);
            ChangeReader resumed = commit.changes();
            for (int j = i; j < CHANGES.size(); j++) {
                assertThat(resumed.next()).isTrue();
                assertThat(text(writer -> writer.change(CATALOG, resumed))).isEqualTo(expected(j));
            }
            assertThat(resumed.next()).isFalse();
        }
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void writesCausesAndSchemaChanges() {
        String cause = "{'cause':{'graph_commit_id':'00000000010000000000000002','kind':'load',"
                + "'parent_commit_id':'00000000010000000000000001','merged_parent_commit_id':null,"
                + "'authored_branch':'review/a','actor_id':'act-ada',"
                + "'authored_at':'1970-01-01T00:00:01.234567Z'},";
        CommitReader commit = commit(header(null));
        assertThat(text(writer -> writer.begin(commit, null)))
                .isEqualTo((cause + "'schema_change':null,'changes':[").replace('\'', '"'));
        SchemaChange change = new SchemaChange("…", "sha256:0", new byte[0], List.of("{\"a\":1}", "{}"));
        CommitReader bringing = commit(header(change));
        assertThat(text(writer -> writer.begin(bringing, null)))
                .isEqualTo((cause + "'schema_change':null,'changes':[").replace('\'', '"'));
        assertThat(text(writer -> writer.begin(bringing, CATALOG)))
                .isEqualTo(
                        (cause + "'schema_change':{'schema_digest':'sha256:0','steps':[{'a':1},{}]}," + "'changes':[")
                                .replace('\'', '"'));
    }

    /** Each step on a type of {@link #CATALOG}, and which name its definition has; null for none. */
    @Test
    void showsWhatTheStepsMade() throws Exception {
        Map<String, String> named = new LinkedHashMap<>();
        named.put("{'step':'add_type','kind':'node','type_name':'Person'}", "Person");
        named.put("{'step':'add_type','kind':'edge','type_name':'Knows'}", "Knows");
        named.put("{'step':'add_type','kind':'interface','type_name':'Aged'}", "Aged");
        named.put("{'step':'add_property','kind':'interface','type_name':'Aged','property':'age'}", "age");
        named.put("{'step':'add_property','kind':'node','type_name':'Person','property':'big'}", "big");
        named.put("{'step':'rename_property','kind':'edge','type_name':'Knows','property':'since'}", "since");
        named.put("{'step':'drop_property','kind':'node','type_name':'Person','property':'gone'}", null);
        named.put("{'step':'drop_property','kind':'interface','type_name':'Aged','property':'gone'}", null);
        named.put("{'step':'drop_type','kind':'node','type_name':'Gone'}", null);
        named.put("{'step':'rename_type','kind':'node','type_name':'Person','from':'Gone'}", null);
        List<String> steps =
                named.keySet().stream().map(step -> step.replace('\'', '"')).toList();
        CommitReader bringing = commit(header(new SchemaChange("…", "sha256:0", new byte[0], steps)));
        String text = text(writer -> writer.begin(bringing, CATALOG)) + "]}";
        JsonNode shown = new ObjectMapper().readTree(text).at("/schema_change/steps");
        int at = 0;
        for (String name : named.values()) {
            JsonNode step = shown.get(at);
            assertThat(step.at("/definition/name").textValue())
                    .as(steps.get(at))
                    .isEqualTo(name);
            ((ObjectNode) step).remove("definition");
            assertThat(step.toString()).isEqualTo(steps.get(at++));
        }
    }

    /** A writer reuses the text of the commit before where both have the same kind, branch and actor. */
    @Test
    void writesTheCauseOfEachOfManyCommits(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Ulid last = new Ulid(random.nextLong(), random.nextLong());
        long micros = 1_700_000_000_000_000L;
        CommitKind kind = CommitKind.LOAD;
        String branch = "main";
        @Nullable String actor = null;
        List<CommitHeader> headers = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Ulid id = random.nextInt(4) == 0 ? new Ulid(random.nextLong(), random.nextLong()) : last.next();
            Ulid parent = random.nextInt(3) == 0 ? new Ulid(random.nextLong(), random.nextLong()) : last;
            parent = random.nextInt(10) == 0 ? null : parent;
            Ulid merged = random.nextInt(10) == 0 ? new Ulid(i, i) : null;
            kind = random.nextInt(6) == 0 ? KINDS.get(random.nextInt(KINDS.size())) : kind;
            branch = random.nextInt(6) == 0 ? List.of("main", "draft", "hidden").get(random.nextInt(3)) : branch;
            actor = random.nextInt(6) == 0
                    ? Arrays.asList("act-ada", "act-bob", null).get(random.nextInt(3))
                    : actor;
            micros += random.nextInt(5) == 0
                    ? random.nextLong(-10_000_000_000L, 10_000_000_000L)
                    : random.nextInt(300_000);
            headers.add(new CommitHeader(
                    new Stamp(5, micros, actor),
                    id,
                    kind,
                    new CommitHeader.Lineage(branch, 0, parent, merged, kind.isOfCommit() ? id : null),
                    null,
                    ChangeCounts.of(CHANGES),
                    null));
            expected.add(("{'cause':{'graph_commit_id':'%s','kind':'%s','parent_commit_id':%s,"
                            + "'merged_parent_commit_id':%s,'authored_branch':%s,'actor_id':%s,"
                            + "'authored_at':'%s'},'schema_change':null,'changes':[]}")
                    .formatted(
                            id,
                            kind.wireName(),
                            quoted(parent),
                            quoted(merged),
                            quoted(branch.equals("hidden") ? null : branch),
                            quoted(actor),
                            CalendarText.micros(micros))
                    .replace('\'', '"'));
            last = id;
        }
        byte[] written = JsonWriter.bytes(json -> {
            ChangeWriter writer = new ChangeWriter(json, name -> !name.equals("hidden"));
            json.beginArray();
            for (CommitHeader header : headers) {
                writer.begin(commit(header), null);
                json.endArray().endObject();
            }
            json.endArray();
        });
        assertThat(new String(written, StandardCharsets.UTF_8)).isEqualTo("[" + String.join(",", expected) + "]");
    }

    private static @Nullable String quoted(@Nullable Object text) {
        return text == null ? null : "'" + text + "'";
    }

    /** A piece of a stream depends on the branches that it names itself, not on those of earlier pieces. */
    @Test
    void aPieceNotesTheBranchesThatItNames() {
        EventStreamWriter stream = new EventStreamWriter(Caller.NONE, TestBudgets.ample(), Int64Form.NUMBER);
        for (String branch : List.of("main", "draft", "draft")) {
            CommitHeader header = header(null);
            CommitHeader.Lineage lineage = new CommitHeader.Lineage(branch, 0, new Ulid(1, 1), null);
            stream.begin(
                    commit(new CommitHeader(
                            header.stamp(), header.id(), header.kind(), lineage, null, header.counts(), null)),
                    null,
                    () -> "cursor");
            stream.end();
            assertThat(stream.take(new FeedOutcome(null, "cursor", true, 0, 0), true)
                            .shown())
                    .isEqualTo(Map.of(branch, false));
        }
    }

    /** The actor is found after a schema of any length. */
    @Test
    void readsACommitInPlace() {
        SchemaChange schema = new SchemaChange("node A {}", "sha256:1", new byte[3], List.of("{}", "{\"b\":2}"));
        for (CommitHeader header : List.of(header(null), header(schema))) {
            CommitReader commit = commit(header);
            assertThat(commit.header()).usingRecursiveComparison().isEqualTo(header);
            assertThat(commit.schema()).usingRecursiveComparison().isEqualTo(header.schema());
            assertThat(commit.hasChanges()).isTrue();
            assertThat(commit.changes().count()).isEqualTo(CHANGES.size());
            assertThat(text(writer -> writer.begin(commit, null))).contains("\"act-ada\"");
        }
    }

    private static CommitReader commit(CommitHeader header) {
        EventCodec codec = new EventCodec();
        CommitReader commit = new CommitReader(codec);
        codec.commit(bytes(codec, header), 5, 0, commit);
        return commit;
    }

    private static UnsafeBuffer bytes(EventCodec codec, CommitHeader header) {
        EncodedEvent encoded =
                codec.encode(new Event.Commit(header, ChangeBlock.of(CHANGES)), EventCodec.hashBeforeFirst());
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[encoded.length()]);
        encoded.copyTo(bytes);
        return bytes;
    }

    private static CommitHeader header(@Nullable SchemaChange schema) {
        return new CommitHeader(
                new Stamp(5, 1_234_567, "act-ada"),
                Ulid.parse("00000000010000000000000002"),
                CommitKind.LOAD,
                new CommitHeader.Lineage("review/a", 0, Ulid.parse("00000000010000000000000001"), null),
                null,
                ChangeCounts.of(CHANGES),
                schema);
    }

    private static String text(java.util.function.Consumer<ChangeWriter> body) {
        return new String(
                JsonWriter.bytes(json -> body.accept(new ChangeWriter(json, branch -> true))), StandardCharsets.UTF_8);
    }
}
