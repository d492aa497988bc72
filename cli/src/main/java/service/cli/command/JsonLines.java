package service.cli.command;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.slf4j.event.KeyValuePair;

/**
 * A log event as one JSON object a line: {@code time, level, logger, message}, then the event's own
 * pairs ({@code http.md} §6).
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {
    private static final byte[] NONE = {};

    private final JsonFactory factory = new JsonFactory();

    @Override
    public byte[] encode(ILoggingEvent event) {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        try (JsonGenerator json = factory.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField(
                    "time",
                    Instant.ofEpochMilli(event.getTimeStamp())
                            .truncatedTo(ChronoUnit.MILLIS)
                            .toString());
            json.writeStringField("level", event.getLevel().toString());
            json.writeStringField("logger", event.getLoggerName());
            json.writeStringField("message", event.getFormattedMessage());
            if (event.getKeyValuePairs() != null) {
                for (KeyValuePair pair : event.getKeyValuePairs()) {
                    writePair(json, pair);
                }
            }
            if (event.getThrowableProxy() != null) {
                json.writeStringField(
                        "fault", ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return line.toByteArray();
    }

    private static void writePair(JsonGenerator json, KeyValuePair pair) throws IOException {
        json.writeFieldName(pair.key);
        switch (pair.value) {
            case Integer number -> json.writeNumber(number);
            case Long number -> json.writeNumber(number);
            case Boolean truth -> json.writeBoolean(truth);
            case null -> json.writeNull();
            default -> json.writeString(pair.value.toString());
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
