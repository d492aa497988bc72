package service.cli.codegen;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Functions over {@code service_graph.Graph}. */
final class PythonCode extends QueryCode {
    private static final Set<String> KEYWORDS = Set.of(
            "False",
            "None",
            "True",
            "and",
            "as",
            "assert",
            "async",
            "await",
            "break",
            "class",
            "continue",
            "def",
            "del",
            "elif",
            "else",
            "except",
            "finally",
            "for",
            "from",
            "global",
            "if",
            "import",
            "in",
            "is",
            "lambda",
            "nonlocal",
            "not",
            "or",
            "pass",
            "raise",
            "return",
            "try",
            "while",
            "with",
            "yield");
    private static final Set<String> USED = Set.of(
            "Any",
            "EllipsisType",
            "Graph",
            "Literal",
            "Mapping",
            "MutationResult",
            "Sequence",
            "TypedDict",
            "annotations",
            "bool",
            "bytes",
            "cast",
            "date",
            "datetime",
            "dict",
            "float",
            "int",
            "list",
            "str");
    private static final List<String> OPTIONS = List.of("if_commit", "message", "meta", "key");

    PythonCode() {
        super(both(KEYWORDS, USED));
    }

    private static Set<String> both(Set<String> some, Set<String> others) {
        return Stream.of(some, others).flatMap(Set::stream).collect(Collectors.toSet());
    }

    @Override
    String head() {
        return """
                # Typed functions for the stored queries of a graph. Made by `service queries codegen`; do not edit.

                from __future__ import annotations

                from collections.abc import Mapping, Sequence
                from datetime import date, datetime
                from types import EllipsisType
                from typing import Any, Literal, TypedDict, cast

                from service_graph import Graph
                from service_graph.models import MutationResult
                """;
    }

    @Override
    String function(JsonNode query) {
        String name = query.path("name").asText();
        boolean writes = query.path("mutation").asBoolean();
        CodeNames scope = new CodeNames(both(KEYWORDS, USED));
        scope.take("graph");
        scope.take("params_sent");
        if (writes) {
            OPTIONS.forEach(scope::take);
        }
        StringBuilder signature = new StringBuilder("def " + names.take(name) + "(graph: Graph");
        StringBuilder required = new StringBuilder();
        StringBuilder optional = new StringBuilder();
        List<Parameter> parameters = parameters(query, scope);
        signature.append(parameters.isEmpty() && !writes ? "" : ", *");
        for (Parameter each : parameters) {
            String type = typeOf(each.of(), CodeNames.type(name) + CodeNames.type(each.wireName()), true);
            String key = quoted(each.wireName());
            if (each.mayBeLeftOut()) {
                // Null is another value than that of a default: what is left out is `...` then.
                boolean isNullLeftOut =
                        !(each.of().has("default") && each.of().path("nullable").asBoolean());
                String absent = isNullLeftOut ? "None" : "...";
                signature.append(", %s: %s = %s"
                        .formatted(each.name(), orNull(type) + (isNullLeftOut ? "" : " | EllipsisType"), absent));
                optional.append("    if %s is not %s:\n        params_sent[%s] = %s\n"
                        .formatted(each.name(), absent, key, each.name()));
            } else {
                signature.append(", %s: %s".formatted(each.name(), type));
                required.append(required.isEmpty() ? "" : ", ").append(key + ": " + each.name());
            }
        }
        String answer = "MutationResult";
        String call = "graph.call_mutation(%s, params_sent, if_commit=if_commit, message=message, meta=meta, key=key)"
                .formatted(quoted(name));
        if (writes) {
            signature
                    .append(", if_commit: str | None = None, message: str | None = None")
                    .append(", meta: Mapping[str, str] | None = None, key: str | None = None");
        } else {
            answer = "list[" + record(CodeNames.type(name) + "Row", query.path("columns"), false) + "]";
            call = "cast(%s, graph.call(%s, params_sent).rows)".formatted(quoted(answer), quoted(name));
        }
        return "\n\n%s) -> %s:\n    # %s\n    params_sent: dict[str, Any] = {%s}\n%s    return %s\n"
                .formatted(signature, answer, does(query), required, optional, call);
    }

    @Override
    String record(String name, JsonNode fields, boolean isSent) {
        StringBuilder members = new StringBuilder();
        for (JsonNode field : fields) {
            String wire = field.path("name").asText();
            String type = typeOf(field, name + CodeNames.type(wire.replace('.', '_')), isSent);
            boolean nullable = !isSent || field.path("nullable").asBoolean();
            members.append("    %s: %s,\n".formatted(quoted(wire), quoted(nullable ? orNull(type) : type)));
        }
        String declared = names.take(name);
        types.add("\n\n%s = TypedDict(%s, {\n%s})\n".formatted(declared, quoted(declared), members));
        return declared;
    }

    @Override
    String plain(String kind, boolean isSent) {
        return switch (kind) {
            case "string" -> "str";
            case "bool" -> "bool";
            case "int", "bigint" -> "int";
            case "float" -> "float";
            case "date" -> isSent ? "date | str" : "str";
            case "datetime" -> isSent ? "datetime | str" : "str";
            case "blob" -> isSent ? "bytes | str" : "dict[str, Any]";
            case "node", "edge", "path" -> "dict[str, Any]";
            case "null" -> "None";
            default -> "Any";
        };
    }

    @Override
    String oneOf(List<String> values) {
        return "Literal[" + values.stream().map(QueryCode::quoted).collect(Collectors.joining(", ")) + "]";
    }

    @Override
    String listOf(String item, boolean isSent) {
        return (isSent ? "Sequence[" : "list[") + item + "]";
    }

    @Override
    String orNull(String type) {
        return type.equals("None") || type.equals("Any") ? type : type + " | None";
    }
}
