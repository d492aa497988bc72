package service.core.gq.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Parameter;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.value.Value;

/** The declared parameters of a query, with a mark for each one that is used. */
final class ParameterTable {
    private final List<Parameter> parameters = new ArrayList<>();
    private final Map<String, Integer> indexes = new HashMap<>();
    private final Set<Integer> used = new HashSet<>();

    ParameterTable(List<GqFile.Parameter> declared, QueryFindings findings) {
        for (GqFile.Parameter parameter : declared) {
            Value value = null;
            ExpressionSyntax written = parameter.defaultValue();
            if (written != null) {
                value = defaultValue(parameter, written, findings);
            }
            indexes.put(parameter.name(), parameters.size());
            parameters.add(new Parameter(parameter.name(), parameter.type(), parameter.nullable(), value));
        }
    }

    private static Value defaultValue(GqFile.Parameter parameter, ExpressionSyntax written, QueryFindings findings) {
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
        used.add(index);
        return new Expression.Argument(index, name, parameters.get(index).type());
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
