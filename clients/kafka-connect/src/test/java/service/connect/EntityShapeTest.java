package service.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

/** Schemas and images of types. Values of every type are compared with an export in {@link GraphSourceTaskTest}. */
final class EntityShapeTest {
    private static final JsonNode NONE = GraphServer.json("{}");

    private static GraphSourceConfig config(String prefix) {
        return new GraphSourceConfig(Map.of("server.url", "http://h", "graph", "g", "topic.prefix", prefix));
    }

    private static JsonNode node(String... properties) {
        return GraphServer.json("{\"name\":\"T\",\"properties\":["
                + String.join(",", properties).replace('\'', '"') + "]}");
    }

    private static String property(String name, String type, String more) {
        return "{'name':'" + name + "','type':'" + type + "'," + more + "}";
    }

    @Test
    void aPropertyIsOptionalOrHasItsDefault() throws Exception {
        JsonNode type = node(
                property("a", "String", "'nullable':true,'default':'x'"),
                property("b", "I32", "'nullable':false,'default':3"),
                property("c", "[U64]", "'nullable':false"));
        EntityShape shape = new EntityShape(config("p"), type, 5);
        Schema row = shape.rowSchema;
        assertThat(row.name()).isEqualTo("p.g.T.Value");
        assertThat(row.version()).isEqualTo(5);
        assertThat(row.field("a").schema().isOptional()).isTrue();
        assertThat(row.field("a").schema().defaultValue()).isNull();
        assertThat(row.field("b").schema().isOptional()).isFalse();
        assertThat(row.field("b").schema().defaultValue()).isEqualTo(3);
        Struct made = shape.row("1", GraphServer.json("{\"c\":[18446744073709551615],\"b\":4}"), NONE);
        made.validate();
        assertThat(made.get("a")).isNull();
        assertThat(made.getArray("c")).singleElement().hasToString("18446744073709551615");
    }

    @Test
    void aPropertyThatTheSchemaDoesNotHaveIsNotDropped() {
        EntityShape shape = new EntityShape(config("p"), node(property("a", "Bool", "'nullable':true")), 1);
        assertThatThrownBy(() -> shape.row("1", GraphServer.json("{\"id\":\"1\",\"a\":true,\"later\":1}"), NONE))
                .isInstanceOf(StaleSchemaException.class)
                .hasMessageContaining("`T.later`");
    }

    @Test
    void whatTheConnectorCannotSendIsNamed() {
        assertThatThrownBy(() -> new EntityShape(config("p"), node(property("a", "Point", "'nullable':true")), 1))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("`Point`");
        JsonNode named = GraphServer.json("{\"name\":\"" + "T".repeat(250) + "\",\"properties\":[]}");
        assertThatThrownBy(() -> new EntityShape(config("prefix"), named, 1))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("`topic.prefix`");
    }

    @Test
    void aPositionIsStoredAndRead() {
        for (Position position : new Position[] {
            new Position(Position.Place.cursor("c"), null, 3),
            new Position(new Position.Place("t", true), "01J", 0),
            Position.unfinishedBaseline(2)
        }) {
            assertThat(Position.of(position.toOffset())).isEqualTo(position);
        }
        assertThatThrownBy(() -> Position.of(Map.of("lsn", 5L)))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("lsn");
    }
}
