package service.cli.shell;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.gq.syntax.GqFile;
import service.core.gq.syntax.GqFile.StatementSyntax;
import service.core.gq.syntax.GqParser;

/**
 * The request of one input. An input may be the body of a query without a name: the shell then puts a query named
 * {@code shell} around it, on separate lines, and declares the parameters that it uses.
 */
final class ShellRequest {
    private final String source;
    private final Placement placement;
    private final GqFile file;

    private ShellRequest(String input, String source, int linesBefore, int lineOfBody) {
        this.source = source;
        this.placement = new Placement(input, linesBefore, lineOfBody);
        this.file = GqParser.parse(new SourceText(source)).file();
    }

    static ShellRequest of(String typed, ShellState state) {
        String input = typed.strip();
        int body = InputShape.bareBody(input);
        if (body < 0) {
            return new ShellRequest(input, input, 0, 0);
        }
        Map<String, String> types = new TreeMap<>();
        state.parameters.forEach((name, parameter) -> types.put(name, parameter.type()));
        String text = input.endsWith(";") ? input.substring(0, input.length() - 1) : input;
        String head = text.substring(0, body);
        String source =
                head + "query shell(" + BareStatement.declared(input, types) + ") {\n" + text.substring(body) + "\n}";
        int line = (int) head.chars().filter(c -> c == '\n').count() + 1;
        return new ShellRequest(input, source, 1, line);
    }

    /** Whether it writes: the request goes to {@code /mutate}. */
    boolean writes() {
        if (file.statement() != null) {
            return switch (file.statement()) {
                case StatementSyntax.BranchCreate ignored -> true;
                case StatementSyntax.BranchDelete ignored -> true;
                case StatementSyntax.BranchMerge ignored -> true;
                case StatementSyntax.Undo ignored -> true;
                case StatementSyntax.BranchList ignored -> false;
                case StatementSyntax.BranchShow ignored -> false;
                case StatementSyntax.Show ignored -> false;
                case StatementSyntax.Explain ignored -> false;
            };
        }
        return !file.queries().isEmpty() && file.queries().getFirst().body() instanceof GqFile.Mutation;
    }

    /** The request body of {@code /query} and {@code /mutate}, without a branch. */
    ObjectNode body(ShellState state) {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("query", source);
        ObjectNode params = JsonNodeFactory.instance.objectNode();
        for (String name : declaredParameters()) {
            ShellState.Parameter parameter = state.parameters.get(name);
            if (parameter != null) {
                params.set(name, parameter.value());
            }
        }
        if (!params.isEmpty()) {
            body.set("params", params);
        }
        if (!state.settings.isEmpty()) {
            state.settings.forEach(body.putObject("settings")::set);
        }
        return body;
    }

    private Set<String> declaredParameters() {
        Set<String> names = new TreeSet<>();
        List<GqFile.Query> queries = new ArrayList<>(file.queries());
        if (file.statement() instanceof StatementSyntax.Explain explain) {
            queries.add(explain.query());
        }
        queries.forEach(query -> query.parameters().forEach(each -> names.add(each.name())));
        return names;
    }

    /** The findings of a refusal at their places in the typed text; null when it has none. */
    @Nullable
    String render(@Nullable ObjectNode errorBody) {
        List<Diagnostic> placed = placement.of(errorBody);
        return placed.isEmpty() ? null : SourceText.render(placed);
    }
}
