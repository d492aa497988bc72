package service.core.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.error.Suggestion;
import service.core.schema.syntax.SchemaParser;
import service.core.schema.syntax.SyntaxTree;
import service.core.schema.syntax.SyntaxTree.AnnotationNode;
import service.core.text.Findings;

/**
 * Finds what a valid schema probably does not mean: {@code L203}, an unknown annotation one edit from a known one. An
 * unknown annotation is kept and shown, but it has no effect, so that a type with {@code @kye} has no key. Any thread.
 */
public final class SchemaWarnings {
    private static final Set<String> KNOWN = new TreeSet<>(List.of(
            "key",
            "unique",
            "index",
            "range",
            "check",
            "card",
            "default",
            "embed",
            "search",
            "rename_from",
            "description",
            "instruction"));

    private SchemaWarnings() {}

    /** The warnings of a schema that compiles, in the order of the source. */
    public static List<Diagnostic> of(String source) {
        Findings ignored = new Findings(SchemaParser.FINDINGS_MAX);
        Findings warnings = new Findings(SchemaParser.FINDINGS_MAX);
        for (SyntaxTree.Declaration declaration :
                SchemaParser.parse(source, ignored).declarations()) {
            List<AnnotationNode> annotations = new ArrayList<>(
                    switch (declaration) {
                        case SyntaxTree.InterfaceNode ignoredType -> List.of();
                        case SyntaxTree.NodeNode node -> node.annotations();
                        case SyntaxTree.EdgeNode edge -> edge.annotations();
                    });
            declaration.properties().forEach(property -> annotations.addAll(property.annotations()));
            annotations.forEach(annotation -> check(annotation, warnings));
        }
        return warnings.diagnostics(new SourceText(source));
    }

    private static void check(AnnotationNode annotation, Findings warnings) {
        String name = annotation.name().text();
        String near = KNOWN.contains(name) ? null : Suggestion.oneEdit(name, KNOWN);
        if (near != null) {
            warnings.add(
                    "L203",
                    annotation.name().at(),
                    "the annotation `@" + name + "` is not known and has no effect",
                    "did you mean `@" + near + "`?");
        }
    }
}
