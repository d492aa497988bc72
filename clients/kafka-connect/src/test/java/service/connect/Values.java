package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;

/** Shows values of Connect as its converter to JSON does, with numbers for decimals. */
final class Values {
    private Values() {}

    static JsonNode json(Schema schema, Object value) {
        JsonNodeFactory make = JsonNodeFactory.instance;
        if (value == null) {
            return make.nullNode();
        }
        if (value instanceof Struct struct) {
            ObjectNode object = make.objectNode();
            for (Field field : struct.schema().fields()) {
                object.set(field.name(), json(field.schema(), struct.get(field)));
            }
            return object;
        }
        if (value instanceof List<?> list) {
            ArrayNode array = make.arrayNode();
            list.forEach(each -> array.add(json(schema.valueSchema(), each)));
            return array;
        }
        if (value instanceof Date date) {
            boolean isDay = org.apache.kafka.connect.data.Date.LOGICAL_NAME.equals(schema.name());
            long millis = date.toInstant().toEpochMilli();
            return make.numberNode(isDay ? TimeUnit.MILLISECONDS.toDays(millis) : millis);
        }
        if (value instanceof BigDecimal number) {
            return make.numberNode(number);
        }
        return GraphClient.JSON.valueToTree(value);
    }
}
