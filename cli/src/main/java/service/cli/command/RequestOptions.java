package service.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.shell.BareStatement;
import service.cli.shell.ParameterText;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.json.Json;

/**
 * The request of a {@code query} or {@code mutate} command: the name or the text of a query, its parameters and
 * settings.
 */
final class RequestOptions {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "NAME",
            description = "The query to run: one of the source's, or without a source a stored query.")
    private @Nullable String name;

    @Option(names = "--query", paramLabel = "FILE", description = "A file of GQ source, or - for standard input.")
    private @Nullable Path file;

    @Option(
            names = {"-e", "--query-string"},
            paramLabel = "GQ",
            description = "GQ source itself; a single query needs no name, as in the shell.")
    private @Nullable String text;

    @Option(names = "--params", paramLabel = "JSON", description = "Parameters as a JSON object.")
    private @Nullable String params;

    @Option(names = "--params-file", paramLabel = "FILE", description = "A file of parameters as a JSON object.")
    private @Nullable Path paramsFile;

    @Option(names = "-p", paramLabel = "NAME=VALUE", description = "One parameter: a JSON value, or else plain text.")
    private Map<String, String> single = new LinkedHashMap<>();

    @Option(names = "--set", paramLabel = "NAME=VALUE", description = "One setting.")
    private Map<String, String> settings = new LinkedHashMap<>();

    private final ObjectNode body = Json.object();

    /** The source as the user wrote it; null for a stored query. */
    private @Nullable String typed;

    /** The stored query to invoke, or null when the request brings a source. */
    @Nullable
    String storedName() {
        return file != null || text != null ? null : name;
    }

    /** The failure of the request, with its findings at their places in what was typed. */
    CommandFailure placed(RuntimeException failure) {
        CommandFailure described = Failures.describe(failure);
        ObjectNode refusal = described.body();
        if (typed == null || refusal == null || refusal.path("diagnostics").isEmpty()) {
            return described;
        }
        List<Diagnostic> findings = BareStatement.placement(typed).of(refusal);
        ObjectNode moved = refusal.deepCopy();
        String message;
        if (file == null || file.toString().equals("-")) {
            message = SourceText.render(findings);
            ArrayNode diagnostics = moved.putArray("diagnostics");
            findings.forEach(each -> Findings.write(each, diagnostics.addObject()));
        } else {
            Findings inFile = new Findings().add(file.toString(), findings);
            message = inFile.message();
            inFile.write(moved.putArray("diagnostics"));
        }
        return new CommandFailure(described.exitCode(), message, moved.put("error", message));
    }

    /** The request body without a read target; empty before {@link #read}. */
    ObjectNode body() {
        return body;
    }

    /** Makes the request body; reads the files that the options name, each once, as they may be pipes. */
    void read() {
        if (file == null && text == null && name == null) {
            throw CommandFailure.usage("name a stored query, or give a source with --query or -e");
        }
        if (storedName() != null && !settings.isEmpty()) {
            throw CommandFailure.usage("--set goes with a source, not with a stored query");
        }
        if (file != null && text != null) {
            throw CommandFailure.usage("--query and -e exclude each other");
        }
        if (params != null && paramsFile != null) {
            throw CommandFailure.usage("--params and --params-file exclude each other; -p adds single parameters");
        }
        ObjectNode arguments = arguments();
        String source = text != null ? text : file != null ? read(file) : null;
        if (source != null) {
            typed = source;
            body.put("query", BareStatement.named(source, arguments));
            if (name != null) {
                body.put("name", name);
            }
        }
        if (!arguments.isEmpty()) {
            body.set("params", arguments);
        }
        if (!settings.isEmpty()) {
            ObjectNode object = body.putObject("settings");
            settings.forEach((key, value) -> object.set(key, ParameterText.value(value, "--set " + key)));
        }
    }

    private ObjectNode arguments() {
        ObjectNode arguments = Json.object();
        if (paramsFile != null) {
            arguments.setAll(ParameterText.object(read(paramsFile), "--params-file"));
        }
        if (params != null) {
            arguments.setAll(ParameterText.object(params, "--params"));
        }
        single.forEach((key, value) -> arguments.set(key, ParameterText.value(value, "-p " + key)));
        return arguments;
    }

    static String read(Path file) {
        try {
            return file.toString().equals("-")
                    ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                    : Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new CommandFailure(CommandFailure.FAILED, "there is no file " + file);
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "cannot read " + file + ": " + e.getMessage());
        }
    }
}
