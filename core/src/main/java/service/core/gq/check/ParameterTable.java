package service.core.gq.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.value.Value;

/** The declared parameters of a query, with a mark for each one that is used. */
final class ParameterTable {
    private final List<Parameter> parameters = new ArrayList<>();
    private final Map<String, Integer> indexes = new HashMap<>();
    private final Set<Integer> used = new HashSet<>();
    private final List<Plan.Embedding> embeddings = new ArrayList<>();

    private final List<GqFile.Parameter> declared;
    private final QueryFindings findings;

    ParameterTable(List<GqFile.Parameter> declared, QueryFindings findings) {
        this.declared = declared;
        this.findings = findings;
        for (GqFile.Parameter parameter : declared) {
            Value value = null;
            ExpressionSyntax written = parameter.defaultValue();
            if (written != null) {
                value = defaultValue(parameter, written, findings);
            }
            indexes.put(parameter.name(), parameters.size());
            List<Parameter> fields = parameter.fields().stream()
                    .map(field -> new Parameter(field.name(), field.type(), field.nullable(), null))
                    .toList();
            parameters.add(new Parameter(parameter.name(), parameter.type(), parameter.nullable(), value, fields));
        }
    }

    private static Value defaultValue(GqFile.Parameter parameter, ExpressionSyntax written, QueryFindings findings) {
        if (!parameter.fields().isEmpty()) {
            findings.note(
                    "T4", written.span(), "`$" + parameter.name() + "` is a list of records and has no default", null);
            return Value.NULL;
        }
        Value value = constant(written);
        if (value == null) {
            findings.note(
                    "T4",
                    written.span(),
                    "the default of `$" + parameter.name() + "` is not a literal",
                    "a default is written out, such as `= 10` or `= \"x\"`");
            return Value.NULL;
        }
        if (value instanceof Value.Null && !parameter.nullable()) {
            findings.note(
                    "T4",
                    written.span(),
                    "the default of `$" + parameter.name() + "` is null, but the parameter is not nullable",
                    "write `" + parameter.type() + "?`");
            return value;
        }
        Value converted =
                Assignability.literal(value, parameter.type(), written.span(), "`$" + parameter.name() + "`", findings);
        return converted != null ? converted : Value.NULL;
    }

    /** The value of a literal or of a list of literals, or null. */
    static @Nullable Value constant(ExpressionSyntax syntax) {
        if (syntax instanceof ExpressionSyntax.Literal literal) {
            return literal.value();
        }
        if (!(syntax instanceof ExpressionSyntax.ListOf list)) {
            return null;
        }
        List<Value> items = new ArrayList<>();
        for (ExpressionSyntax item : list.items()) {
            if (!(item instanceof ExpressionSyntax.Literal literal)) {
                return null;
            }
            items.add(literal.value());
        }
        return new Value.ListOf(items);
    }

    List<Parameter> list() {
        return List.copyOf(parameters);
    }

    Set<String> names() {
        return indexes.keySet();
    }

    boolean has(String name) {
        return indexes.containsKey(name);
    }

    /** The argument of that name, or null when no such parameter is declared. */
    Expression.@Nullable Argument use(String name) {
        Integer index = indexes.get(name);
        if (index == null) {
            return null;
        }
        for (Parameter field : parameters.get(index).fields()) {
            if (PatternEnvironment.isBlob(field.type())) {
                throw findings.refuse(
                        "T24",
                        declared.get(index).span(),
                        "`" + field.name() + "` of `$" + name + "` is a Blob, which no expression reads",
                        "write `for $r in $" + name + " { … }` with statements that take `$r." + field.name() + "`");
            }
        }
        return argument(index);
    }

    /** The argument that is the vector of a text. */
    Expression.Argument embedded(Plan.Embedding embedding) {
        embeddings.add(embedding);
        return new Expression.Argument(parameters.size() + embeddings.size() - 1, "#vector", embedding.type());
    }

    /** The texts whose vectors are arguments, which follow those of the parameters. */
    List<Plan.Embedding> embeddings() {
        return List.copyOf(embeddings);
    }

    private Expression.Argument argument(int index) {
        used.add(index);
        Parameter parameter = parameters.get(index);
        return new Expression.Argument(index, parameter.name(), parameter.valueType());
    }

    /** The fields of the records that a parameter is a list of; empty for any other name. */
    List<Parameter> fieldsOf(String name) {
        Integer index = indexes.get(name);
        return index == null ? List.of() : parameters.get(index).fields();
    }

    /** The argument of a parameter that is a list of records. */
    Expression.Argument records(String name) {
        return argument(Objects.requireNonNull(indexes.get(name)));
    }

    void warnUnused(List<GqFile.Parameter> declared, QueryFindings findings) {
        for (int i = 0; i < declared.size(); i++) {
            String name = declared.get(i).name();
            if (!used.contains(i) && !findings.mayUse(name)) {
                findings.warn(
                        "T27",
                        declared.get(i).span(),
                        "the parameter `$" + name + "` is never used",
                        "remove it, or use it");
            }
        }
    }
}
