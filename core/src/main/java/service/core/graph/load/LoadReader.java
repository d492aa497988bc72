package service.core.graph.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.blob.BlobLifter;
import service.core.blob.LiftedParser;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.event.Image;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.EntityIds;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.KeyText;
import service.core.value.PropertyRow;

/**
 * Reads NDJSON records ({@code docs/writes.md}) into compact {@link LoadRecord}s: one streaming parser over a range of
 * whole lines, values encoded directly into rows, no tree. Every refusal begins with {@code line N:}. One thread.
 */
final class LoadReader {
    private static final int RECORDS_PER_CHECKPOINT = 256;
    private static final int[] NONE = {};

    /** Heap bytes of a record and its row, without the bytes of the row and the id's characters. */
    private static final int RECORD_BYTES = 130;

    /** Records are charged in groups, because the readers of a load share one account. */
    private static final long CHARGE_BYTES = 64 << 10;

    private final Catalog catalog;
    private final LoadMode mode;
    private final Map<String, LoadType> nodes = new HashMap<>();
    private final Map<String, LoadType> edges = new HashMap<>();
    private final ValueReader values;
    private final Map<String, String> nodeIds = new HashMap<>();
    private final int firstLine;
    private final @Nullable BlobLifter lifter;
    private final RequestBudget budget;
    private long uncharged;
    private int count;
    private boolean inRecord;
    private int line;
    private @Nullable ServiceException refusal;

    // The current record.
    private @Nullable LoadType type;
    private @Nullable String id;
    private final EndReader from = new EndReader("from", this::shared, this::refusal);
    private final EndReader to = new EndReader("to", this::shared, this::refusal);
    private int[] cleared = NONE;
    private boolean hasId;
    private boolean hasData;

    /** What is wrong with the first value that cannot be stored; the record is read to its end to know its id. */
    private @Nullable String valueFault;

    /**
     * @param firstLine the line of the whole input at which the range begins
     * @param blobs receives blobs that were not lifted
     * @param lifter the lifter that the range has passed through, or null
     * @param budget charged for the records
     */
    LoadReader(
            Catalog catalog,
            LoadMode mode,
            int firstLine,
            BlobIntake blobs,
            @Nullable BlobLifter lifter,
            RequestBudget budget) {
        this.catalog = catalog;
        this.mode = mode;
        this.firstLine = firstLine;
        this.values = new ValueReader(blobs);
        this.lifter = lifter;
        this.budget = budget;
    }

    /**
     * Reads all records of the range, or those before the first that is refused.
     *
     * @param last whether these lines are the end of the input
     * @param computing asked from time to time whether to go on; of the thread that reads
     */
    void read(InputStream lines, boolean last, RequestBudget computing) {
        try (JsonParser parser = parser(new Utf8Input(lines, firstLine))) {
            readAll(parser, computing);
            charge();
            types().forEach(LoadBatch::sort);
        } catch (JsonEOFException e) {
            refusal = !last && inRecord ? goesOn() : invalid(e);
        } catch (JsonProcessingException e) {
            refusal = invalid(e);
        } catch (ServiceException e) {
            refusal = e.because(Reason.RECORD);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ServiceException invalid(JsonProcessingException fault) {
        // The parser notices an unfinished record only on the line after it.
        boolean between = !inRecord && fault.getLocation() != null;
        int at = between ? firstLine + fault.getLocation().getLineNr() - 1 : line;
        return ServiceException.badRequest(Reason.RECORD, "line " + at + ": not valid JSON: " + Json.explain(fault));
    }

    /** The records, by type. */
    List<LoadType> types() {
        List<LoadType> types = new ArrayList<>(nodes.values());
        // Spellings of one edge type share a LoadType.
        edges.values().stream().distinct().forEach(types::add);
        return types;
    }

    /** The number of records. */
    int count() {
        return count;
    }

    /** The refusal that ended the reading early, or null. */
    @Nullable
    ServiceException refusal() {
        return refusal;
    }

    private JsonParser parser(InputStream lines) throws IOException {
        JsonParser parser = Json.streamingFactory().createParser(lines);
        return lifter == null ? parser : new LiftedParser(parser, lifter);
    }

    private void readAll(JsonParser parser, RequestBudget computing) throws IOException {
        int lastLine = 0;
        JsonToken token;
        while ((token = parser.nextToken()) != null) {
            line = firstLine + parser.currentTokenLocation().getLineNr() - 1;
            if (token != JsonToken.START_OBJECT) {
                throw refusal("a record must be a JSON object");
            }
            if (line == lastLine) {
                throw refusal("one record a line; start the next one on a new line");
            }
            inRecord = true;
            readRecord(parser);
            inRecord = false;
            lastLine = firstLine + parser.currentLocation().getLineNr() - 1;
            if (lastLine != line) {
                throw goesOn();
            }
            count++;
            if (count % RECORDS_PER_CHECKPOINT == 0) {
                computing.checkpoint(() -> {});
            }
        }
    }

    private ServiceException goesOn() {
        return refusal("the record continues after the end of its line");
    }

    private void readRecord(JsonParser parser) throws IOException {
        type = null;
        id = null;
        from.reset();
        to.reset();
        cleared = NONE;
        hasId = false;
        hasData = false;
        valueFault = null;
        PropertyRow row = PropertyRow.EMPTY;
        TokenBuffer early = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String member = parser.currentName();
            parser.nextToken();
            switch (member) {
                case "type" -> named(nodes, text(parser, "type"), "type");
                case "edge" -> named(edges, text(parser, "edge"), "edge");
                case "from" -> from.read(parser);
                case "to" -> to.read(parser);
                case "data" -> {
                    once(hasData, member);
                    hasData = true;
                    if (type == null) {
                        JsonParser tokens = parser instanceof LiftedParser lifted ? lifted.delegate() : parser;
                        early = new TokenBuffer(tokens);
                        early.copyCurrentStructure(tokens);
                    } else {
                        row = readData(parser, type);
                    }
                }
                default -> throw refusal("unknown member `" + member + "`" + LoadHints.member(member));
            }
        }
        if (type == null) {
            throw refusal("a record needs `type` (a node) or `edge` (an edge)");
        }
        if (early != null) {
            try (JsonParser again = early.asParser()) {
                again.nextToken();
                row = readData(parser instanceof LiftedParser lifted ? lifted.over(again) : again, type);
            }
        }
        finish(type, row);
    }

    private void named(Map<String, LoadType> known, String name, String member) {
        if (type != null) {
            throw refusal("a record has one `type` or one `edge`, once");
        }
        LoadType found = known.get(name);
        if (found == null) {
            EntityType schemaType = member.equals("type") ? catalog.node(name) : catalog.edge(name);
            if (schemaType == null) {
                String meant = LoadHints.type(catalog, name, member.equals("type"));
                throw refusal("unknown "
                        + (member.equals("type") ? "node" : "edge")
                        + " type `"
                        + name
                        + "`"
                        + (meant == null ? "" : "; " + meant));
            }
            // Names of edge types are not case-sensitive: one LoadType for all spellings.
            found = known.computeIfAbsent(schemaType.name(), ignored -> new LoadType(schemaType));
            known.put(name, found);
        }
        type = found;
    }

    private PropertyRow readData(JsonParser parser, LoadType into) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return PropertyRow.EMPTY;
        }
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw refusal("`data` must be an object");
        }
        into.row.reset();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            int place = into.place(name);
            if (place >= 0) {
                property(parser, token, into, place);
            } else if (name.equals("id")) {
                once(hasId, name);
                hasId = true;
                id = token == JsonToken.VALUE_NULL ? null : text(parser, "data.id");
            } else {
                String meant = Suggestion.didYouMean(name, into.propertyNames());
                throw refusal(
                        into.type.name() + " has no property `" + name + "`" + (meant == null ? "" : "; " + meant));
            }
        }
        return into.row.build();
    }

    private void property(JsonParser parser, JsonToken token, LoadType into, int place) throws IOException {
        Property property = into.property(place);
        if (into.row.has(place) || Arrays.binarySearch(cleared, property.identity()) >= 0) {
            throw refusal("the key `" + property.name() + "` occurs twice in `data`");
        }
        if (token != JsonToken.VALUE_NULL) {
            String wrong = values.read(parser, property.type(), into.row, place);
            if (wrong != null) {
                refuseValue(property, wrong);
                parser.skipChildren();
            }
            return;
        }
        if (!property.nullable()) {
            refuseValue(property, "is required and cannot be null");
        }
        int[] more = Arrays.copyOf(cleared, cleared.length + 1);
        more[cleared.length] = property.identity();
        Arrays.sort(more);
        cleared = more;
    }

    private void refuseValue(Property property, String wrong) {
        if (valueFault == null) {
            valueFault = "property `" + property.name() + "` of "
                    + Objects.requireNonNull(type).type.name() + " " + wrong;
        }
    }

    private void finish(LoadType into, PropertyRow row) {
        if (valueFault != null) {
            throw violation(into, known(into), valueFault);
        }
        LoadRecord.EndTypes endTypes = null;
        if (into.type instanceof EntityType.EdgeType edge) {
            if (from.id() == null || to.id() == null) {
                throw refusal("edge " + into.type.name() + " needs `from` and `to`, the ids of its ends");
            }
            int fromType = from.stored(edge, edge.source());
            int toType = to.stored(edge, edge.destination());
            endTypes = fromType == EdgeEnd.FIRST && toType == EdgeEnd.FIRST
                    ? null
                    : new LoadRecord.EndTypes(fromType, toType);
        } else if (from.isGiven() || to.isGiven()) {
            throw refusal("`from` and `to` belong to edges; " + into.type.name() + " is a node type");
        }
        if (id != null) {
            String fault = KeyText.fault(id);
            if (fault != null) {
                throw violation(into, id, "the id `" + id + "` " + fault);
            }
        }
        LoadRecord record = new LoadRecord(into.type, line, id, row, cleared, from.id(), to.id(), endTypes);
        if (into.isKeyed() && !isNamedById(into.type, row)) {
            // An end whose type only the data says is resolved with the data, and the id with it.
            record = record.hasOpenEnd() ? record : into.keyed(record);
        }
        into.records.add(record);
        uncharged += RECORD_BYTES
                + row.bytes().length
                + 4L * cleared.length
                + (record.id() == null ? 0 : record.id().length());
        if (uncharged >= CHARGE_BYTES) {
            charge();
        }
    }

    private void charge() {
        budget.memory().charge(uncharged, "the load", "split it into smaller batches");
        uncharged = 0;
    }

    /**
     * Whether the record refers by its id alone to an existing entity: in an upsert it keeps the properties that it
     * leaves out, including those of the key.
     */
    private boolean isNamedById(EntityType keyed, PropertyRow row) {
        return mode == LoadMode.MERGE
                && id != null
                && keyed instanceof EntityType.NodeType
                && keyed.key().stream().allMatch(member -> row.get(member) == null);
    }

    /** The record's id as far as it was read: given, or derived from a key that is complete. */
    private @Nullable String known(LoadType into) {
        if (id != null
                || !(into.type instanceof EntityType.NodeType keyed)
                || keyed.key().isEmpty()) {
            return id;
        }
        PropertyRow row = into.row.build();
        return keyed.key().stream().allMatch(member -> row.get(member) != null)
                ? EntityIds.derive(keyed, Image.ofNode(row))
                : null;
    }

    /** One string for all edges that refer to a node: a batch of edges refers to few nodes often. */
    private String shared(String nodeId) {
        String known = nodeIds.putIfAbsent(nodeId, nodeId);
        return known == null ? nodeId : known;
    }

    private String text(JsonParser parser, String what) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw refusal("`" + what + "` must be a string");
        }
        return parser.getText();
    }

    private void once(boolean seen, String member) {
        if (seen) {
            throw refusal("the key `" + member + "` occurs twice");
        }
    }

    private ServiceException refusal(String message) {
        return ServiceException.badRequest("line " + line + ": " + message);
    }

    private ServiceException violation(LoadType into, @Nullable String entityId, String message) {
        return new ServiceException(
                ErrorCode.BAD_REQUEST,
                "line " + line + ": " + message,
                ConstraintChecks.valueViolation(into.type, entityId));
    }
}
