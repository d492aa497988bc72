package service.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.GqCompiler;
import service.core.schema.SchemaCompiler;

/** Lays schemas and queries out. */
@Command(
        name = "fmt",
        description = {
            "Lays out schemas (.pg) and queries (.gq): spaces and indentation. Comments and line breaks stay.",
            "A file with a mistake stops the command before any file is written."
        },
        footer = {"", "Examples:", "  service fmt people.pg people.gq", "  service fmt --check people.pg people.gq"})
final class FmtCommand extends AnswerCommand {
    @Option(names = "--check", description = "Write nothing; exit with 1 where a file would change.")
    private boolean check;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Files whose names end with .pg or .gq.")
    private List<Path> files = List.of();

    @Override
    Answer answer() throws IOException {
        Map<Path, String> changed = new LinkedHashMap<>();
        Findings findings = new Findings();
        for (Path file : files) {
            String source = RequestOptions.read(file);
            try {
                String formatted = format(file, source);
                if (!formatted.equals(source)) {
                    changed.put(file, formatted);
                }
            } catch (ServiceException refusal) {
                if (!(refusal.detail() instanceof ErrorDetail.Diagnostics mistakes)) {
                    throw refusal;
                }
                findings.add(file.toString(), mistakes.diagnostics());
            }
        }
        if (findings.errors() > 0) {
            throw findings.failure();
        }
        if (!check) {
            for (Map.Entry<Path, String> each : changed.entrySet()) {
                replace(each.getKey(), each.getValue());
            }
        }
        ObjectNode answer = JsonNodeFactory.instance.objectNode().put("ok", !check || changed.isEmpty());
        ArrayNode names = answer.putArray("changed");
        changed.keySet().forEach(file -> names.add(file.toString()));
        return Answer.of(answer, FmtCommand::print);
    }

    /** Replaces a file whole, under its permissions; a link stays one. */
    private static void replace(Path file, String source) throws IOException {
        Path target = file.toRealPath();
        Path draft = target.resolveSibling(target.getFileName() + ".new");
        try {
            Files.copy(target, draft, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
            Files.writeString(draft, source);
            Files.move(draft, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static String format(Path file, String source) {
        String name = file.toString();
        if (name.endsWith(".gq")) {
            return GqCompiler.format(source);
        }
        if (name.endsWith(".pg")) {
            return SchemaCompiler.format(source);
        }
        throw new CommandFailure(
                CommandFailure.USAGE, "`" + name + "` is neither a schema (.pg) nor a file of queries (.gq)");
    }

    private static void print(ObjectNode answer, PrintWriter out) {
        List<String> names = new ArrayList<>();
        answer.path("changed").forEach(each -> names.add(each.asText()));
        names.forEach(out::println);
    }
}
