package service.core.graph.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.gq.plan.Parameter;
import service.core.json.JsonValues;
import service.core.value.Value;

/** Binds a request's {@code params} to the parameters that a query declares. */
public final class Arguments {
    private Arguments() {}

    /**
     * The values by parameter index. A missing parameter takes its default, or null if it is nullable.
     *
     * @param blobs receives the blobs among them
     */
    public static List<Value> bind(
            List<Parameter> parameters, @Nullable ObjectNode params, JsonValues.BlobReader blobs) {
        List<Value> arguments = new ArrayList<>(parameters.size());
        int given = 0;
        for (Parameter parameter : parameters) {
            JsonNode node = params == null ? null : params.get(parameter.name());
            if (node == null) {
                arguments.add(missing(parameter, parameters, params));
            } else {
                given++;
                arguments.add(value(parameter, node, blobs));
            }
        }
        if (params != null && given < params.size()) {
            throw Objects.requireNonNull(unknown(parameters, params));
        }
        return arguments;
    }

    private static Value value(Parameter parameter, JsonNode node, JsonValues.BlobReader blobs) {
        try {
            return JsonValues.read(
                    parameter.type(), parameter.nullable(), node, "parameter `" + parameter.name() + "`", blobs);
        } catch (ServiceException e) {
            throw e.because(Reason.PARAMETER);
        }
    }

    /**
     * The value of an argument that is not given. A name that is not declared may be meant for it: that comes first.
     */
    private static Value missing(Parameter parameter, List<Parameter> parameters, @Nullable ObjectNode params) {
        if (parameter.defaultValue() != null) {
            return parameter.defaultValue();
        }
        if (parameter.nullable()) {
            return Value.NULL;
        }
        ServiceException misspelt = params == null ? null : unknown(parameters, params);
        if (misspelt != null) {
            throw misspelt;
        }
        throw ServiceException.badRequest(
                Reason.PARAMETER,
                "parameter `" + parameter.name() + "` is missing; it is a required " + parameter.type());
    }

    /** The refusal of the first argument that is not declared; null when all are. */
    private static @Nullable ServiceException unknown(List<Parameter> parameters, ObjectNode params) {
        List<String> names = parameters.stream().map(Parameter::name).toList();
        Iterator<String> given = params.fieldNames();
        while (given.hasNext()) {
            String name = given.next();
            if (!names.contains(name)) {
                String meant = Suggestion.didYouMean(name, names);
                return ServiceException.badRequest(
                        Reason.PARAMETER,
                        "parameter `" + name + "` is not declared by the query" + (meant == null ? "" : "; " + meant));
            }
        }
        return null;
    }
}
