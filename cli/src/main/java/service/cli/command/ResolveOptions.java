package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.core.json.Json;

/** What becomes of entities in conflict. */
final class ResolveOptions {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** How a refusal begins whose reason is a resolution of the request. */
    private static final Pattern OF_RESOLUTIONS = Pattern.compile("^(?:field `resolutions`|item \\d+ of `resolutions`"
            + "|`\\w+` of a resolution|a resolution names|the resolutions? (?:of|name) )");

    @Option(
            names = "--take",
            paramLabel = "SIDE",
            description = "Where both sides changed an entity differently, take its state from source or target.")
    private @Nullable Side take;

    @Option(
            names = "--resolve",
            paramLabel = "FILE",
            description = "The same for each entity, or property of it: a JSON array of"
                    + " {entity_kind, type_name, entity_id, property?, take | value}.")
    private @Nullable Path resolve;

    /** The words of {@code --take}. */
    enum Side {
        source,
        target
    }

    /**
     * Adds the resolutions to a request.
     *
     * @param preview answers a body, which is that of a dry run
     */
    void addTo(ObjectNode body, UnaryOperator<ObjectNode> preview) {
        if (take != null && resolve != null) {
            throw CommandFailure.usage("--take and --resolve exclude each other: give one of them");
        }
        if (resolve != null) {
            body.set("resolutions", Json.read(RequestOptions.read(resolve), resolve + " of --resolve"));
        } else if (take != null) {
            body.set("resolutions", takeAll(preview, body.deepCopy().put("dry_run", true), take.name()));
        }
    }

    /**
     * One resolution for every divergent change and, for the target's side, for every conflict with its schema. A dry
     * run lists the first conflicts only, so that each one shows those that the resolutions before have not decided; an
     * edge of an entity that is left out is in conflict only then.
     */
    private static ArrayNode takeAll(UnaryOperator<ObjectNode> ask, ObjectNode body, String side) {
        ArrayNode resolutions = JSON.createArrayNode();
        JsonNode preview;
        int before;
        boolean ofSchema = false;
        do {
            before = resolutions.size();
            if (before > 0) {
                body.set("resolutions", resolutions.deepCopy());
            }
            preview = ask.apply(body).path("preview");
            for (JsonNode conflict : preview.path("merge_conflicts")) {
                boolean leaves = side.equals("target") && MergeConflicts.isOfSchema(conflict);
                ofSchema |= leaves;
                if (leaves || MergeConflicts.isDivergent(conflict)) {
                    resolutions
                            .addObject()
                            .put("entity_kind", conflict.path("entity_kind").asText())
                            .put("type_name", conflict.path("type_name").asText())
                            .put("entity_id", conflict.path("entity_id").asText())
                            .put("take", side);
                }
            }
        } while (resolutions.size() > before
                && (ofSchema
                        || preview.path("merge_conflicts").size()
                                < preview.path("conflict_count").asLong()));
        return resolutions;
    }

    /** A refusal of the resolutions with the name of the file that holds them; any other refusal as it is. */
    CommandFailure named(CommandFailure failure) {
        String message = String.valueOf(failure.getMessage());
        ObjectNode refusal = failure.body();
        if (resolve == null
                || refusal == null
                || !OF_RESOLUTIONS.matcher(message).find()) {
            return failure;
        }
        String named = resolve + ": "
                + message.replace("field `resolutions`", "the file of --resolve")
                        .replace(" of `resolutions`", "");
        return new CommandFailure(failure.exitCode(), named, refusal.deepCopy().put("error", named));
    }
}
