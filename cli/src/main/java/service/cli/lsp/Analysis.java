package service.cli.lsp;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.cli.shell.GqCompletion;
import service.cli.shell.ShellSchema;
import service.core.error.Diagnostic;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.gq.GqCompiler;
import service.core.gq.function.Function;
import service.core.gq.lint.Lint;
import service.core.gq.syntax.GqParser;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.schema.SchemaWarnings;
import service.core.schema.syntax.SchemaParser;
import service.core.schema.syntax.SyntaxTree;
import service.core.text.Findings;

/** What an editor shows of one document. Stateless; any thread. */
final class Analysis {
    /** The longest document that is checked; the server of graphs takes no longer source either. */
    static final int CHARS_MAX = 1 << 20;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int LOOKED_BACK = 16 << 10;
    private static final Pattern MEMBER = Pattern.compile("\\$(\\w+)\\.(\\w+)");
    private static final int ERROR = 1;
    private static final int WARNING = 2;
    private static final int SYMBOL_FUNCTION = 12;
    private static final int SYMBOL_CLASS = 5;

    private Analysis() {}

    /** The catalog of a schema; null where it does not compile. */
    static @Nullable Catalog catalog(@Nullable TextDocument schema) {
        if (schema == null || schema.text().length() > CHARS_MAX) {
            return null;
        }
        try {
            return SchemaCompiler.compile(schema.text());
        } catch (ServiceException refused) {
            return null;
        }
    }

    /** The diagnostics of a document: those of {@code service lint}. */
    static ArrayNode diagnostics(TextDocument document, @Nullable Catalog catalog) {
        ArrayNode shown = JSON.arrayNode();
        if (document.text().length() > CHARS_MAX) {
            return shown;
        }
        SourceText source = new SourceText(document.text());
        for (Diagnostic finding : findings(document, source, catalog)) {
            int start = finding.line() == 0 ? 0 : source.offset(finding.line(), finding.column());
            int end = Math.max(
                    document.word(start)[1], Math.min(start + 1, document.text().length()));
            ObjectNode diagnostic = shown.addObject();
            diagnostic.set("range", document.range(start, end));
            diagnostic
                    .put("severity", Lint.isWarning(finding) ? WARNING : ERROR)
                    .put("code", finding.code())
                    .put("source", "service")
                    .put("message", finding.message() + (finding.hint() == null ? "" : "\nhint: " + finding.hint()));
        }
        return shown;
    }

    private static List<Diagnostic> findings(TextDocument document, SourceText source, @Nullable Catalog catalog) {
        if (document.isSchema()) {
            try {
                SchemaCompiler.compile(document.text());
                return SchemaWarnings.of(document.text());
            } catch (ServiceException refused) {
                return refused.detail() instanceof ErrorDetail.Diagnostics found ? found.diagnostics() : List.of();
            }
        }
        if (catalog == null) {
            return GqParser.parse(source).findings();
        }
        return Lint.of(Map.of("", document.text()), catalog).queryFindings().getOrDefault("", List.of());
    }

    static ArrayNode completion(TextDocument document, int offset, @Nullable Catalog catalog) {
        int start = Math.max(document.queryStart(offset), offset - LOOKED_BACK);
        String before = document.text().substring(start, offset);
        String prefix = before.substring(GqCompletion.wordStart(before));
        ArrayNode items = JSON.arrayNode();
        ShellSchema schema = catalog == null ? null : new ShellSchema(catalog);
        for (String name : new LinkedHashSet<>(GqCompletion.at(before, schema, List.of()))) {
            if (name.startsWith(prefix)) {
                ObjectNode item = items.addObject().put("label", name);
                item.putObject("textEdit")
                        .put("newText", name)
                        .set("range", document.range(offset - prefix.length(), offset));
                Function function = Function.named(name);
                if (function != null) {
                    item.put("detail", form(function));
                }
            }
        }
        return items;
    }

    private static String form(Function function) {
        return function.word() + "(…): takes " + function.signature().counted();
    }

    /**
     * The declaration of the type or property at an offset with the number of its uses, the type of a variable, or the
     * form of a function; null for anything else.
     */
    static @Nullable ObjectNode hover(
            TextDocument document, int offset, @Nullable Catalog catalog, Supplier<References> references) {
        int[] word = document.word(offset);
        String name = document.text().substring(word[0], word[1]);
        Function function = Function.named(name);
        String shown = null;
        String uses = "";
        if (function != null && followsParenthesis(document, word[1])) {
            shown = form(function);
        } else if (catalog != null && name.startsWith("$")) {
            shown = variable(document, word, name, new ShellSchema(catalog));
        } else if (catalog != null) {
            References all = references.get();
            References.Symbol symbol = all.symbol(document, offset, catalog);
            shown = declared(document, word, symbol, catalog);
            uses = symbol == null ? "" : uses(all.uses(symbol));
        }
        if (shown == null || shown.isEmpty()) {
            return null;
        }
        ObjectNode hover = JSON.objectNode();
        hover.putObject("contents").put("kind", "markdown").put("value", "```pg\n" + shown + "\n```" + uses);
        hover.set("range", document.range(word[0], word[1]));
        return hover;
    }

    private static String uses(long count) {
        return count == 1 ? "\n\nused once in queries" : "\n\nused %d times in queries".formatted(count);
    }

    /** The declaration of what a word names; null for anything else. */
    private static @Nullable String declared(
            TextDocument document, int[] word, References.@Nullable Symbol symbol, Catalog catalog) {
        ShellSchema schema = new ShellSchema(catalog);
        String type = typeOf(document.text().substring(word[0], word[1]), catalog);
        if (type != null) {
            return schema.declaration(type);
        }
        String[] member = symbol != null && symbol.property() != null
                ? new String[] {symbol.type(), symbol.property()}
                : member(document, word, schema);
        return member == null ? null : schema.property(member[0], member[1]);
    }

    /** A variable with its type; null where the word is none, or its type is not known. */
    private static @Nullable String variable(TextDocument document, int[] word, String name, ShellSchema schema) {
        if (!name.startsWith("$")) {
            return null;
        }
        String query = document.text().substring(document.queryStart(word[0]), document.queryEnd(word[1]));
        String type = schema.variables(query).get(name.substring(1));
        return type == null ? null : name + ": " + type;
    }

    private static boolean followsParenthesis(TextDocument document, int offset) {
        return document.text().substring(offset).stripLeading().startsWith("(");
    }

    /** The type and the property of {@code $variable.property} around a word; null where there is none. */
    private static String @Nullable [] member(TextDocument document, int[] word, ShellSchema schema) {
        int from = Math.max(document.queryStart(word[0]), word[0] - LOOKED_BACK);
        Matcher member = MEMBER.matcher(document.text().substring(from, word[1]));
        while (member.find()) {
            if (member.end() == word[1] - from && member.start(2) == word[0] - from) {
                String type = schema.variables(document.text().substring(from, word[1]))
                        .get(member.group(1));
                return type == null ? null : new String[] {type, member.group(2)};
            }
        }
        return null;
    }

    /** The type that a word names, as it is or as a traversal spells it. */
    private static @Nullable String typeOf(String word, Catalog catalog) {
        if (word.isEmpty()) {
            return null;
        }
        if (catalog.node(word) != null || catalog.interfaceType(word) != null) {
            return word;
        }
        EntityType.EdgeType edge = catalog.edge(word); // under both spellings
        return edge == null ? null : edge.name();
    }

    /** Where the word at an offset is declared: a type or a property in the schema, a variable in its query. */
    static @Nullable ObjectNode definition(
            TextDocument document, int offset, @Nullable TextDocument schema, @Nullable Catalog catalog) {
        int[] word = document.word(offset);
        String name = document.text().substring(word[0], word[1]);
        if (name.startsWith("$") && document.isQueries()) {
            Matcher first = Pattern.compile(Pattern.quote(name) + "\\b").matcher(document.text());
            return first.find(document.queryStart(offset)) ? location(document, first.start(), name.length()) : null;
        }
        if (schema == null || catalog == null) {
            return null;
        }
        String type = typeOf(name, catalog);
        String[] member = type == null ? member(document, word, new ShellSchema(catalog)) : null;
        ObjectNode[] found = new ObjectNode[1];
        for (SyntaxTree.Declaration each : declarations(schema)) {
            if (each.name().text().equals(type)) {
                found[0] = location(schema, each.name().at(), each.name().text().length());
            } else if (member != null && each.name().text().equals(member[0])) {
                each.properties().stream()
                        .filter(property -> property.name().text().equals(member[1]))
                        .forEach(property ->
                                found[0] = location(schema, property.name().at(), member[1].length()));
            }
        }
        return found[0];
    }

    private static ObjectNode location(TextDocument document, int start, int length) {
        ObjectNode location = JSON.objectNode().put("uri", document.uri());
        location.set("range", document.range(start, start + length));
        return location;
    }

    private static List<SyntaxTree.Declaration> declarations(TextDocument schema) {
        return SchemaParser.parse(schema.text(), new Findings(SchemaParser.FINDINGS_MAX))
                .declarations();
    }

    /** The queries or types of a document. */
    static ArrayNode symbols(TextDocument document) {
        ArrayNode symbols = JSON.arrayNode();
        BiConsumer<String, int[]> add = (name, place) -> {
            ObjectNode range = document.range(place[0], place[0] + name.length());
            ObjectNode symbol = symbols.addObject().put("name", name).put("kind", place[1]);
            symbol.set("range", range);
            symbol.set("selectionRange", range);
        };
        if (document.isSchema()) {
            declarations(document)
                    .forEach(each -> add.accept(
                            each.name().text(), new int[] {each.name().at(), SYMBOL_CLASS}));
        } else {
            SourceText source = new SourceText(document.text());
            GqCompiler.queryPlaces(document.text())
                    .forEach(each -> add.accept(
                            each.name(), new int[] {source.offset(each.line(), each.column()), SYMBOL_FUNCTION}));
        }
        return symbols;
    }

    /** The edits that lay the document out; none where it has a mistake. */
    static ArrayNode formatting(TextDocument document) {
        ArrayNode edits = JSON.arrayNode();
        try {
            String formatted =
                    document.isSchema() ? SchemaCompiler.format(document.text()) : GqCompiler.format(document.text());
            if (!formatted.equals(document.text())) {
                ObjectNode edit = edits.addObject().put("newText", formatted);
                edit.set("range", document.range(0, document.text().length()));
            }
        } catch (ServiceException mistake) {
            return edits; // the diagnostics show it
        }
        return edits;
    }
}
