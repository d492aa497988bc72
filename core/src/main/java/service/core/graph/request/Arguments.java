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
        return bind(parameters, params, blobs, false);
    }

    /** The values of a query that is explained and not run: a required parameter that is missing is null. */
    public static List<Value> bindGiven(
            List<Parameter> parameters, @Nullable ObjectNode params, JsonValues.BlobReader blobs) {
        return bind(parameters, params, blobs, true);
    }

    private static List<Value> bind(
            List<Parameter> parameters,
            @Nullable ObjectNode params,
            JsonValues.BlobReader blobs,
            boolean mayBeMissing) {
        List<Value> arguments = new ArrayList<>(parameters.size());
        int given = 0;
        for (Parameter parameter : parameters) {
            JsonNode node = params == null ? null : params.get(parameter.name());
            if (node == null) {
                arguments.add(mayBeMissing ? missing(parameter) : missing(parameter, parameters, params));
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
        String what = "parameter `" + parameter.name() + "`";
        try {
            return parameter.isRecords()
                    ? records(parameter, node, what, blobs)
                    : JsonValues.read(parameter.type(), parameter.nullable(), node, what, blobs);
        } catch (ServiceException e) {
            throw e.because(Reason.PARAMETER);
        }
    }

    /** A list of records, whose fields are in the order of the declaration. */
    private static Value records(Parameter parameter, JsonNode node, String what, JsonValues.BlobReader blobs) {
        if (node.isNull() && parameter.nullable()) {
            return Value.NULL;
        }
        if (!node.isArray()) {
            throw ServiceException.badRequest(what + " takes a list of objects: " + parameter.typeName());
        }
        List<Value> records = new ArrayList<>(node.size());
        List<String> names = parameter.fields().stream().map(Parameter::name).toList();
        for (int i = 0; i < node.size(); i++) {
            List<Value> values = values(parameter.fields(), node.get(i), what + ", element " + i, blobs);
            records.add(new Value.Struct(names, values));
        }
        return new Value.ListOf(records);
    }

    private static List<Value> values(List<Parameter> fields, JsonNode node, String what, JsonValues.BlobReader blobs) {
        if (!node.isObject()) {
            throw ServiceException.badRequest(what + " must be an object");
        }
        List<Value> values = new ArrayList<>(fields.size());
        int given = 0;
        for (Parameter field : fields) {
            JsonNode value = node.get(field.name());
            String which = what + ", field `" + field.name() + "`";
            if (value != null) {
                given++;
                values.add(JsonValues.read(field.type(), field.nullable(), value, which, blobs));
            } else if (field.nullable()) {
                values.add(Value.NULL);
            } else {
                throw ServiceException.badRequest(which + " is missing; it is a required " + field.typeName());
            }
        }
        if (given < node.size()) {
            List<String> names = fields.stream().map(Parameter::name).toList();
            Iterator<String> all = node.fieldNames();
            while (all.hasNext()) {
                String name = all.next();
                if (!names.contains(name)) {
                    String meant = Suggestion.didYouMean(name, names);
                    throw ServiceException.badRequest(
                            what + ": field `" + name + "` is not declared" + (meant == null ? "" : "; " + meant));
                }
            }
        }
        return values;
    }

    private static Value missing(Parameter parameter) {
        return parameter.defaultValue() == null ? Value.NULL : parameter.defaultValue();
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
                "parameter `" + parameter.name() + "` is missing; it is a required " + parameter.typeName());
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
