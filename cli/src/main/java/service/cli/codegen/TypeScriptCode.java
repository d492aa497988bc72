package service.cli.codegen;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Functions over {@code Graph} of {@code @service/graph}. */
final class TypeScriptCode extends QueryCode {
    /** Reserved words, also those of modules in strict mode, and the names that the module uses. */
    private static final Set<String> RESERVED = Set.of(
            "arguments",
            "async",
            "await",
            "break",
            "case",
            "catch",
            "class",
            "const",
            "continue",
            "debugger",
            "default",
            "delete",
            "do",
            "else",
            "enum",
            "eval",
            "export",
            "extends",
            "false",
            "finally",
            "for",
            "function",
            "if",
            "implements",
            "import",
            "in",
            "instanceof",
            "interface",
            "let",
            "new",
            "null",
            "package",
            "private",
            "protected",
            "public",
            "return",
            "static",
            "super",
            "switch",
            "this",
            "throw",
            "true",
            "try",
            "typeof",
            "undefined",
            "var",
            "void",
            "while",
            "with",
            "yield",
            "any",
            "bigint",
            "boolean",
            "number",
            "object",
            "string",
            "symbol",
            "unknown",
            "never",
            "Array",
            "Date",
            "Entity",
            "Graph",
            "Int64",
            "Partial",
            "Promise",
            "Rows",
            "Uint8Array",
            "WriteOptions",
            "graph",
            "models",
            "options",
            "params");

    TypeScriptCode() {
        super(RESERVED);
    }

    @Override
    String head() {
        return """
                // Typed functions for the stored queries of a graph. Made by `service queries codegen`; do not edit.

                import type { Graph, models, Rows, WriteOptions } from "@service/graph";

                /** The digits of an I64 or U64, for `BigInt`. */
                export type Int64 = string;

                /** A node with its properties, an edge with `@src` and `@dst`, or a path. */
                export type Entity = { [member: string]: any };
                """;
    }

    @Override
    String function(JsonNode query) {
        String name = query.path("name").asText();
        String type = CodeNames.type(name);
        List<Parameter> parameters = parameters(query, new CodeNames(List.of()));
        String params = members(parameters, type);
        boolean needed = parameters.stream().anyMatch(each -> !each.mayBeLeftOut());
        String signature = "export function %s(graph: Graph, params: {%s}%s"
                .formatted(names.take(CodeNames.member(name)), params, needed ? "" : " = {}");
        String row = query.has("columns") ? record(type + "Row", query.path("columns"), false) : null;
        String remark = "\n/** " + does(query).replace("*/", "* /") + " */\n";
        if (query.path("mutation").asBoolean()) {
            String answer = row == null ? "models.MutationResult" : "models.MutationResult & { rows?: " + row + "[] }";
            return remark
                    + "%s, options: WriteOptions = {}): Promise<%s> {\n  return graph.callMutation(%s, params, options);\n}\n"
                            .formatted(signature, answer, quoted(name));
        }
        return remark
                + "%s): Promise<Rows<%s>> {\n  return graph.call<%s>(%s, params);\n}\n"
                        .formatted(signature, row, row, quoted(name));
    }

    private String members(List<Parameter> parameters, String type) {
        return parameters.stream()
                .map(each -> {
                    String of = typeOf(each.of(), type + CodeNames.type(each.wireName()), true);
                    return " %s%s: %s"
                            .formatted(
                                    quoted(each.wireName()),
                                    each.mayBeLeftOut() ? "?" : "",
                                    each.of().path("nullable").asBoolean() ? orNull(of) : of);
                })
                .collect(Collectors.joining(";", "", parameters.isEmpty() ? "" : " "));
    }

    @Override
    String record(String name, JsonNode fields, boolean isSent) {
        StringBuilder members = new StringBuilder();
        for (JsonNode field : fields) {
            String wire = field.path("name").asText();
            String type = typeOf(field, name + CodeNames.type(wire.replace('.', '_')), isSent);
            boolean nullable = !isSent || field.path("nullable").asBoolean();
            members.append("  %s: %s;\n".formatted(quoted(wire), nullable ? orNull(type) : type));
        }
        String declared = names.take(name);
        types.add("\nexport interface %s {\n%s}\n".formatted(declared, members));
        return declared;
    }

    @Override
    String plain(String kind, boolean isSent) {
        return switch (kind) {
            case "string", "date" -> "string";
            case "datetime" -> isSent ? "Date | string" : "string";
            case "bool" -> "boolean";
            case "int", "float" -> "number";
            case "bigint" -> isSent ? "bigint | number | string" : "Int64";
            case "blob" -> isSent ? "Uint8Array | string" : "Entity";
            case "node", "edge", "path" -> "Entity";
            case "null" -> "null";
            default -> "any";
        };
    }

    @Override
    String oneOf(List<String> values) {
        return values.stream().map(QueryCode::quoted).collect(Collectors.joining(" | "));
    }

    @Override
    String listOf(String item, boolean isSent) {
        return "Array<" + item + ">";
    }

    @Override
    String orNull(String type) {
        return type.equals("null") || type.equals("any") ? type : type + " | null";
    }
}
