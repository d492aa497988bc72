package service.cli.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.util.List;
import org.slf4j.event.KeyValuePair;
import service.core.json.JsonWriter;
import service.core.value.VisibleText;

/**
 * Writes a log event as one line with a JSON object: {@code time, level, logger, message}, then the key-value pairs of
 * the event ({@code docs/operations/logs.md}).
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {
    private static final byte[] NONE = {};

    @Override
    public byte[] encode(ILoggingEvent event) {
        return JsonWriter.bytes(json -> {
            json.beginObject();
            json.field("time").dateTime(event.getTimeStamp());
            json.field("level").string(event.getLevel().toString());
            json.field("logger").string(event.getLoggerName());
            json.field("message").string(VisibleText.directions(event.getFormattedMessage()));
            if (event.getKeyValuePairs() != null) {
                for (KeyValuePair pair : event.getKeyValuePairs()) {
                    write(json.field(pair.key), pair.value);
                }
            }
            if (event.getThrowableProxy() != null) {
                json.field("fault")
                        .string(VisibleText.directions(ThrowableProxyUtil.asString(event.getThrowableProxy())));
            }
            json.endObject().newline();
        });
    }

    private static void write(JsonWriter json, Object value) {
        switch (value) {
            case String text -> json.string(VisibleText.directions(text));
            case Integer number -> json.value(number.longValue());
            case Long number -> json.value(number.longValue());
            case Boolean truth -> json.value(truth.booleanValue());
            case null -> json.nullValue();
            case List<?> items -> {
                json.beginArray();
                items.forEach(item -> write(json, item));
                json.endArray();
            }
            default -> json.string(VisibleText.directions(value.toString()));
        }
    }

    @Override
    public byte[] headerBytes() {
        return NONE;
    }

    @Override
    public byte[] footerBytes() {
        return NONE;
    }
}
