package service.cli.lsp;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.gq.GqCompiler;
import service.core.gq.lint.Lint;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.schema.syntax.SchemaParser;
import service.core.schema.syntax.SyntaxTree;
import service.core.text.Findings;
import service.core.text.Lexer;

/**
 * The places that name a type or a property of a schema, in it and in queries.
 *
 * <p>In a query they are found by the compiler: the schema gets another name there, of the same length, and each place
 * where the query does not compile any more is one that names it. So a word that only looks alike is none, and every
 * form of the language counts. The cost is a compilation of the file for each place and query. One thread.
 */
final class References {
    /** Places that are looked for in one file. */
    private static final int PLACES_MAX = 1_000;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String LETTERS = "zqxjkvwyabcdefghilmnoprstu0123456789_";

    private final TextDocument schema;
    private final List<TextDocument> queries;
    private final List<SyntaxTree.Declaration> declarations;

    /**
     * What is named.
     *
     * @param property null for the type itself
     */
    record Symbol(String type, @Nullable String property) {
        String name() {
            return property == null ? type : property;
        }
    }

    /** A place in a document, in chars. */
    record Place(TextDocument document, int start, int end) {
        ObjectNode location() {
            ObjectNode location = JSON.objectNode().put("uri", document.uri());
            location.set("range", document.range(start, end));
            return location;
        }
    }

    /** @param queries the files that are written for the schema */
    References(TextDocument schema, List<TextDocument> queries) {
        this.schema = schema;
        this.queries = queries;
        this.declarations = SchemaParser.parse(schema.text(), new Findings(SchemaParser.FINDINGS_MAX))
                .declarations();
    }

    /** What the word at an offset names; null for anything else. */
    @Nullable
    Symbol symbol(TextDocument document, int offset, Catalog catalog) {
        int[] word = document.word(offset);
        String name = document.text().substring(word[0], word[1]);
        EntityType.EdgeType edge = catalog.edge(name);
        String type = edge == null ? name : edge.name();
        if (declarations.stream().anyMatch(each -> each.name().text().equals(type))) {
            return new Symbol(type, null);
        }
        for (SyntaxTree.Declaration each : declarations) {
            Symbol symbol = new Symbol(each.name().text(), name);
            if (declares(each, name)
                    && places(symbol).stream()
                            .anyMatch(place -> place.document.equals(document) && place.start == word[0])) {
                return symbol;
            }
        }
        return null;
    }

    private static boolean declares(SyntaxTree.Declaration declaration, String property) {
        return declaration.properties().stream()
                .anyMatch(each -> each.name().text().equals(property));
    }

    /** All places that name it: declarations first, then those of the schema, then those of the queries. */
    List<Place> places(Symbol symbol) {
        List<Place> places = new ArrayList<>();
        for (int at : inSchema(symbol)) {
            places.add(new Place(schema, at, at + symbol.name().length()));
        }
        String other = otherName(symbol.name());
        Catalog renamed = other == null ? null : Analysis.catalog(renamed(schema, offsets(places, schema), other));
        if (renamed != null) {
            for (TextDocument document : queries) {
                inQueries(document, symbol.name(), String.valueOf(other), renamed)
                        .forEach(at -> places.add(
                                new Place(document, at, at + symbol.name().length())));
            }
        }
        return places;
    }

    /** How many places of queries name it. */
    long uses(Symbol symbol) {
        return places(symbol).stream()
                .filter(place -> place.document.isQueries())
                .count();
    }

    /** A name of the same length that no file has. */
    private @Nullable String otherName(String name) {
        for (int i = name.length() - 1; i >= 1 || i == name.length() - 1; i--) {
            for (int j = 0; j < LETTERS.length(); j++) {
                char letter = LETTERS.charAt(j);
                boolean first = i == 0 && !Character.isLetter(letter);
                String other = name.substring(0, i) + letter + name.substring(i + 1);
                String lower = other.toLowerCase(Locale.ROOT);
                boolean known = first
                        || schema.text().toLowerCase(Locale.ROOT).contains(lower)
                        || queries.stream()
                                .anyMatch(each ->
                                        each.text().toLowerCase(Locale.ROOT).contains(lower));
                if (!known) {
                    return other;
                }
            }
        }
        return null;
    }

    private static NavigableSet<Integer> offsets(List<Place> places, TextDocument document) {
        TreeSet<Integer> offsets = new TreeSet<>();
        places.stream().filter(each -> each.document.equals(document)).forEach(each -> offsets.add(each.start));
        return offsets;
    }

    private NavigableSet<Integer> inSchema(Symbol symbol) {
        TreeSet<Integer> found = new TreeSet<>();
        String property = symbol.property;
        Set<String> types = property == null ? Set.of() : sharing(symbol.type, property);
        for (SyntaxTree.Declaration each : declarations) {
            if (property == null) {
                List<SyntaxTree.Name> names = new ArrayList<>(List.of(each.name()));
                switch (each) {
                    case SyntaxTree.NodeNode node -> names.addAll(node.interfaces());
                    case SyntaxTree.EdgeNode edge -> {
                        names.addAll(edge.source());
                        names.addAll(edge.destination());
                    }
                    case SyntaxTree.InterfaceNode ignored -> {}
                }
                add(found, names, symbol.type);
            } else if (types.contains(each.name().text())) {
                each.properties().forEach(declared -> {
                    add(found, List.of(declared.name()), property);
                    declared.annotations().stream()
                            .filter(annotation -> annotation.name().text().equals("embed"))
                            .forEach(annotation -> add(found, annotation.argument(), property));
                });
                switch (each) {
                    case SyntaxTree.NodeNode node -> addMembers(found, node.constraints(), property);
                    case SyntaxTree.EdgeNode edge -> addMembers(found, edge.constraints(), property);
                    case SyntaxTree.InterfaceNode ignored -> {}
                }
            }
        }
        return found;
    }

    private static void add(Set<Integer> found, List<SyntaxTree.Name> names, String name) {
        names.stream().filter(each -> each.text().equals(name)).forEach(each -> found.add(each.at()));
    }

    private static void add(Set<Integer> found, SyntaxTree.@Nullable Literal literal, String name) {
        if (literal != null
                && literal.kind() == SyntaxTree.LiteralKind.STRING
                && literal.text().equals(name)) {
            found.add(literal.at() + 1); // behind the quote
        }
    }

    private static void addMembers(Set<Integer> found, List<SyntaxTree.ConstraintNode> constraints, String name) {
        for (SyntaxTree.ConstraintNode each : constraints) {
            switch (each) {
                case SyntaxTree.ConstraintNode.Members members -> add(found, members.members(), name);
                case SyntaxTree.ConstraintNode.Range range -> add(found, List.of(range.property()), name);
                case SyntaxTree.ConstraintNode.Check check -> add(found, List.of(check.property()), name);
            }
        }
    }

    /** The types whose property is one with that of a type, because an interface declares it. */
    private Set<String> sharing(String type, String property) {
        Set<String> types = new LinkedHashSet<>(Set.of(type));
        int before;
        do {
            before = types.size();
            for (SyntaxTree.Declaration each : declarations) {
                if (each instanceof SyntaxTree.NodeNode node) {
                    List<String> shared = declarations.stream()
                            .filter(other -> other instanceof SyntaxTree.InterfaceNode
                                    && declares(other, property)
                                    && node.interfaces().stream()
                                            .anyMatch(name -> name.text()
                                                    .equals(other.name().text())))
                            .map(other -> other.name().text())
                            .toList();
                    if (types.contains(node.name().text()) || shared.stream().anyMatch(types::contains)) {
                        types.addAll(shared);
                        types.addAll(
                                shared.isEmpty()
                                        ? List.of()
                                        : List.of(node.name().text()));
                    }
                }
            }
        } while (types.size() > before);
        return types;
    }

    private static NavigableSet<Integer> inQueries(TextDocument document, String name, String other, Catalog renamed) {
        TreeSet<Integer> found = new TreeSet<>();
        boolean more = document.text().length() <= Analysis.CHARS_MAX
                && document.text().toLowerCase(Locale.ROOT).contains(name.toLowerCase(Locale.ROOT));
        while (more && found.size() < PLACES_MAX) {
            TextDocument now = renamed(document, found, other);
            SourceText source = new SourceText(now.text());
            int before = found.size();
            for (Diagnostic finding : errors(now, renamed)) {
                int at = wordBehind(now.text(), source.offset(finding.line(), finding.column()), name);
                if (at >= 0) {
                    found.add(at);
                }
            }
            more = found.size() > before;
        }
        return found;
    }

    private static List<Diagnostic> errors(TextDocument document, Catalog catalog) {
        return GqCompiler.inspect(document.text(), catalog).findings().stream()
                .filter(finding -> !Lint.isWarning(finding) && finding.line() > 0)
                .toList();
    }

    /** Where the name stands from an offset on in the same line; −1 where it does not. */
    private static int wordBehind(String text, int offset, String name) {
        int lineEnd = text.indexOf('\n', offset);
        int end = lineEnd < 0 ? text.length() : lineEnd;
        for (int at = offset; at + name.length() <= end; at++) {
            boolean same = text.regionMatches(Character.isUpperCase(name.charAt(0)), at, name, 0, name.length());
            boolean begins = at == 0 || !Lexer.isWord(text.charAt(at - 1));
            int behind = at + name.length();
            if (same && begins && (behind == text.length() || !Lexer.isWord(text.charAt(behind)))) {
                return at;
            }
        }
        return -1;
    }

    /** The document with another name at the offsets; the first letter is as large as it was. */
    private static TextDocument renamed(TextDocument document, Set<Integer> offsets, String name) {
        StringBuilder text = new StringBuilder(document.text());
        offsets.forEach(at -> text.replace(at, at + name.length(), likewise(text.charAt(at), name)));
        return new TextDocument(document.uri(), text.toString());
    }

    private static String likewise(char before, String name) {
        return Character.isLowerCase(before) ? Character.toLowerCase(name.charAt(0)) + name.substring(1) : name;
    }

    /**
     * The edits that rename it everywhere.
     *
     * @throws ServiceException with the reason, where the files would not fit each other afterwards
     */
    ObjectNode rename(Symbol symbol, String name, Catalog catalog) {
        List<Place> places = places(symbol);
        StringBuilder compiled = new StringBuilder(schema.text());
        for (int at : offsets(places, schema).descendingSet()) {
            compiled.replace(at, at + symbol.name().length(), name);
        }
        Catalog after = SchemaCompiler.compile(compiled.toString());
        return edit(places, name, (document, text) -> {
            if (document.isQueries()) {
                requireNoMoreErrors(document, text, catalog, after);
            }
        });
    }

    /** The edits that write a name at places of which those of each document ascend. */
    private static ObjectNode edit(List<Place> places, String name, BiConsumer<TextDocument, String> check) {
        ObjectNode changes = JSON.objectNode();
        Map<TextDocument, StringBuilder> texts = new LinkedHashMap<>();
        for (Place place : places.reversed()) {
            String written = likewise(place.document.text().charAt(place.start), name);
            String uri = place.document.uri();
            ArrayNode edits = changes.get(uri) instanceof ArrayNode known ? known : changes.putArray(uri);
            edits.addObject().put("newText", written).set("range", place.document.range(place.start, place.end));
            texts.computeIfAbsent(place.document, document -> new StringBuilder(document.text()))
                    .replace(place.start, place.end, written);
        }
        texts.forEach((document, text) -> check.accept(document, text.toString()));
        ObjectNode edit = JSON.objectNode();
        edit.set("changes", changes);
        return edit;
    }

    private static void requireNoMoreErrors(TextDocument document, String text, Catalog before, Catalog after) {
        List<Diagnostic> errors = errors(new TextDocument(document.uri(), text), after);
        if (errors.size() > errors(document, before).size()) {
            Diagnostic first = errors.getFirst();
            throw ServiceException.badRequest("`%s` would not compile any more: %s at %d:%d"
                    .formatted(
                            document.uri().substring(document.uri().lastIndexOf('/') + 1),
                            first.message(),
                            first.line(),
                            first.column()));
        }
    }

    /**
     * The edits that rename a variable in its query.
     *
     * @param catalog null where there is no schema to check it against
     * @throws ServiceException with the reason, where the query would not compile afterwards
     */
    static ObjectNode renameVariable(TextDocument document, int offset, String name, @Nullable Catalog catalog) {
        int[] word = document.word(offset);
        String variable = document.text().substring(word[0], word[1]);
        String written = name.startsWith("$") ? name : "$" + name;
        List<Place> places = ofVariable(document, variable, offset);
        if (!ofVariable(document, written, offset).isEmpty()) {
            throw ServiceException.badRequest("the query has a variable `" + written + "` already");
        }
        return edit(places, written, (changed, text) -> {
            if (catalog != null) {
                requireNoMoreErrors(document, text, catalog, catalog);
            }
        });
    }

    /** The places of a variable in its query. */
    static List<Place> ofVariable(TextDocument document, String variable, int offset) {
        int from = document.queryStart(offset);
        int next = document.text().indexOf("\nquery ", from + 1);
        List<Place> places = new ArrayList<>();
        Matcher each = Pattern.compile(Pattern.quote(variable) + "\\b").matcher(document.text());
        each.region(from, next < 0 ? document.text().length() : next);
        while (each.find()) {
            places.add(new Place(document, each.start(), each.end()));
        }
        return places;
    }
}
