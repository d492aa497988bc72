package service.cli.lsp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.schema.Catalog;

/**
 * A language server for {@code .pg} and {@code .gq}: diagnostics, completion, hover, definitions, references, renames,
 * symbols and layout.
 *
 * <p>One thread answers one message after the other, so it holds one message, at most {@link #DOCUMENTS_MAX} documents
 * and {@link #CHARS_MAX} characters of them, and the catalog of one schema. Diagnostics wait until the editor has sent
 * what it has to send.
 */
public final class LanguageServer {
    static final int DOCUMENTS_MAX = 1_000;
    static final int CHARS_MAX = 32 << 20;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int INVALID_REQUEST = -32600;
    private static final int METHOD_NOT_FOUND = -32601;
    private static final int INTERNAL_ERROR = -32603;
    private static final int REQUEST_FAILED = -32803;
    private static final int WARNING = 2;

    private final MessageStream messages;
    private final String version;
    private final Map<String, TextDocument> documents = new LinkedHashMap<>();
    private final Set<String> unchecked = new LinkedHashSet<>();
    private long chars;
    private boolean isShutDown;
    private @Nullable TextDocument compiled;
    private @Nullable Catalog catalog;

    public LanguageServer(InputStream in, OutputStream out, String version) {
        messages = new MessageStream(in, out);
        this.version = version;
    }

    /**
     * Serves until the editor says {@code exit} or leaves.
     *
     * @return whether it was shut down first
     * @throws IOException when the editor does not speak the protocol
     */
    public boolean run() throws IOException {
        for (JsonNode message = messages.read(); message != null; message = messages.read()) {
            String method = message.path("method").asText();
            if (method.equals("exit")) {
                return isShutDown;
            }
            if (message.has("id") && message.has("method")) {
                answer(message, method);
            } else {
                notice(method, message.path("params"));
            }
            if (!messages.hasMore()) {
                publish();
            }
        }
        return isShutDown;
    }

    private void answer(JsonNode message, String method) throws IOException {
        ObjectNode reply = JSON.objectNode();
        reply.set("id", message.get("id"));
        if (isShutDown) {
            error(reply, INVALID_REQUEST, "the server was shut down");
        } else {
            try {
                request(reply, method, message.path("params"));
            } catch (ServiceException refused) {
                error(reply, REQUEST_FAILED, String.valueOf(refused.getMessage()));
            } catch (RuntimeException e) {
                error(reply, INTERNAL_ERROR, method + " failed: " + e);
            }
        }
        messages.write(reply);
    }

    private void request(ObjectNode reply, String method, JsonNode params) {
        switch (method) {
            case "initialize" -> reply.set("result", capabilities());
            case "shutdown" -> {
                isShutDown = true;
                reply.putNull("result");
            }
            case "textDocument/completion",
                    "textDocument/hover",
                    "textDocument/definition",
                    "textDocument/references",
                    "textDocument/rename",
                    "textDocument/documentSymbol",
                    "textDocument/formatting" -> {
                TextDocument document =
                        documents.get(params.at("/textDocument/uri").asText());
                if (document == null || !(document.isQueries() || document.isSchema())) {
                    reply.putNull("result");
                } else {
                    reply.set("result", of(method, document, params));
                }
            }
            default -> error(reply, METHOD_NOT_FOUND, "`" + method + "` is not a method of this server");
        }
    }

    private @Nullable JsonNode of(String method, TextDocument document, JsonNode params) {
        int offset = document.offset(params.path("position"));
        TextDocument schema = schemaOf(document);
        return switch (method) {
            case "textDocument/completion" ->
                document.isSchema() ? JSON.arrayNode() : Analysis.completion(document, offset, catalog(schema));
            case "textDocument/hover" ->
                Analysis.hover(document, offset, catalog(schema), () -> references(document, schema));
            case "textDocument/references" -> {
                ArrayNode found = JSON.arrayNode();
                places(document, offset, schema).forEach(place -> found.add(place.location()));
                yield found;
            }
            case "textDocument/rename" ->
                rename(document, offset, schema, params.path("newName").asText());
            case "textDocument/definition" -> Analysis.definition(document, offset, schema, catalog(schema));
            case "textDocument/documentSymbol" -> Analysis.symbols(document);
            default -> Analysis.formatting(document);
        };
    }

    private References references(TextDocument document, @Nullable TextDocument schema) {
        List<TextDocument> queries = new ArrayList<>();
        long read = 0;
        Path file = schema == null ? null : schema.path();
        for (Path path : file == null ? List.<Path>of() : SchemaFiles.queriesOf(file)) {
            TextDocument each = opened(path);
            if (each != null && read + each.text().length() <= CHARS_MAX && queries.size() < DOCUMENTS_MAX) {
                read += each.text().length();
                queries.add(each);
            }
        }
        if (document.isQueries()
                && queries.stream().noneMatch(each -> each.uri().equals(document.uri()))) {
            queries.add(document);
        }
        return new References(schema == null ? new TextDocument("", "") : schema, queries);
    }

    private List<References.Place> places(TextDocument document, int offset, @Nullable TextDocument schema) {
        int[] word = document.word(offset);
        String name = document.text().substring(word[0], word[1]);
        if (name.startsWith("$") && document.isQueries()) {
            return References.ofVariable(document, name, offset);
        }
        Catalog catalog = catalog(schema);
        if (catalog == null) {
            return List.of();
        }
        References references = references(document, schema);
        References.Symbol symbol = references.symbol(document, offset, catalog);
        return symbol == null ? List.of() : references.places(symbol);
    }

    /** @throws ServiceException with the reason, where it cannot be renamed */
    private ObjectNode rename(TextDocument document, int offset, @Nullable TextDocument schema, String name) {
        int[] word = document.word(offset);
        if (document.isQueries() && document.text().startsWith("$", word[0])) {
            return References.renameVariable(document, offset, name, catalog(schema));
        }
        Catalog catalog = catalog(schema);
        References references = references(document, schema);
        References.Symbol symbol = catalog == null ? null : references.symbol(document, offset, catalog);
        if (symbol == null || catalog == null) {
            throw ServiceException.badRequest("there is no type, property or variable here that can be renamed");
        }
        return references.rename(symbol, name, catalog);
    }

    private ObjectNode capabilities() {
        ObjectNode result = JSON.objectNode();
        ObjectNode can = result.putObject("capabilities");
        can.put("positionEncoding", "utf-16");
        can.putObject("textDocumentSync").put("openClose", true).put("change", 1);
        can.putObject("completionProvider")
                .putArray("triggerCharacters")
                .add("$")
                .add(".")
                .add("\"")
                .add("@")
                .add(":");
        for (String each :
                new String[] {"hover", "definition", "references", "rename", "documentSymbol", "documentFormatting"}) {
            can.put(each + "Provider", true);
        }
        result.putObject("serverInfo").put("name", "service lsp").put("version", version);
        return result;
    }

    private void notice(String method, JsonNode params) throws IOException {
        String uri = params.at("/textDocument/uri").asText();
        switch (method) {
            case "textDocument/didOpen" ->
                put(uri, params.at("/textDocument/text").asText());
            case "textDocument/didChange" -> {
                JsonNode changes = params.path("contentChanges");
                put(uri, changes.path(changes.size() - 1).path("text").asText());
            }
            case "textDocument/didSave" -> unchecked.addAll(documents.keySet());
            case "textDocument/didClose" -> {
                remove(uri);
                show(uri, JSON.arrayNode());
                unchecked.addAll(documents.keySet());
            }
            default -> {} // `initialized`, `$/cancelRequest` and what later versions of the protocol have
        }
    }

    private void put(String uri, String text) throws IOException {
        remove(uri);
        if (documents.size() == DOCUMENTS_MAX || chars + text.length() > CHARS_MAX) {
            ObjectNode params = JSON.objectNode()
                    .put("type", WARNING)
                    .put("message", "service lsp has as many open documents as it holds; close some: " + uri);
            messages.write(notification("window/showMessage", params));
            return;
        }
        TextDocument document = new TextDocument(uri, text);
        documents.put(uri, document);
        chars += text.length();
        if (document.isSchema()) {
            unchecked.addAll(documents.keySet());
        } else {
            unchecked.add(uri);
        }
    }

    private void remove(String uri) {
        TextDocument before = documents.remove(uri);
        chars -= before == null ? 0 : before.text().length();
        unchecked.remove(uri);
    }

    private void publish() throws IOException {
        for (String uri : unchecked) {
            TextDocument document = documents.get(uri);
            if (document != null && (document.isQueries() || document.isSchema())) {
                Catalog against = document.isSchema() ? null : catalog(schemaOf(document));
                show(uri, Analysis.diagnostics(document, against));
            }
        }
        unchecked.clear();
    }

    private void show(String uri, JsonNode diagnostics) throws IOException {
        ObjectNode params = JSON.objectNode().put("uri", uri);
        params.set("diagnostics", diagnostics);
        messages.write(notification("textDocument/publishDiagnostics", params));
    }

    /** The schema of a document as the editor has it, or else as its file has it. */
    private @Nullable TextDocument schemaOf(TextDocument document) {
        if (document.isSchema()) {
            return document;
        }
        Path file = document.path();
        Path schema = file == null ? null : SchemaFiles.schemaOf(file);
        if (schema == null) {
            return null;
        }
        return opened(schema);
    }

    /** A file as the editor has it, or else as it is on the disk; null where it cannot be read or is too long. */
    private @Nullable TextDocument opened(Path file) {
        for (TextDocument open : documents.values()) {
            if (file.equals(open.path())) {
                return open;
            }
        }
        try {
            return Files.size(file) > Analysis.CHARS_MAX
                    ? null
                    : new TextDocument(file.toUri().toString(), Files.readString(file));
        } catch (IOException e) {
            return null;
        }
    }

    private @Nullable Catalog catalog(@Nullable TextDocument schema) {
        if (schema != null && !schema.equals(compiled)) {
            compiled = schema;
            catalog = Analysis.catalog(schema);
        }
        return schema == null ? null : catalog;
    }

    private static ObjectNode notification(String method, JsonNode params) {
        ObjectNode message = JSON.objectNode().put("method", method);
        message.set("params", params);
        return message;
    }

    private static void error(ObjectNode reply, int code, String message) {
        reply.remove("result");
        reply.putObject("error").put("code", code).put("message", message);
    }
}
