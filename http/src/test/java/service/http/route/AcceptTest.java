package service.http.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Int64Form;

final class AcceptTest {
    private static final List<Media> FEED = List.of(Media.JSON, Media.EVENTS);

    private static Representation chosen(List<Media> offered, String... header) {
        return Accept.choose(List.of(header), offered, true);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | JSON",
                "' , ,' | JSON",
                "*/* | JSON",
                "* | JSON",
                "application/* | JSON",
                "text/* | EVENTS",
                "application/json | JSON",
                "APPLICATION/JSON;CHARSET=UTF-8 | JSON",
                "application/json ; charset=\"utf-8\" ; q=0.1 | JSON",
                "text/event-stream | EVENTS",
                "text/event-stream;charset=utf-8 | EVENTS",
                "text/event-stream, */* | EVENTS",
                "*/*, text/event-stream | EVENTS",
                "text/event-stream, */*;q=0.5 | EVENTS",
                "text/event-stream;q=0.5, */* | JSON",
                "application/json, text/event-stream | JSON",
                "text/event-stream, application/json | JSON",
                "application/json;q=0.9, text/event-stream | EVENTS",
                "application/json, text/event-stream;q=0.9 | JSON",
                "application/json;q=0, text/event-stream | EVENTS",
                "application/json;q=0, */* | EVENTS",
                "text/*;q=0, */*;q=0.1 | JSON",
                "text/event-stream;q=0 | JSON",
                "application/json;q=0.0 | EVENTS",
                "image/png;q=0 | JSON",
                "application/json;q=.5, text/event-stream;q=0.4 | JSON",
                "application/json;version=2 | JSON",
                "application/json;charset=iso-8859-1, text/* | EVENTS",
                "text/html, application/xhtml+xml, */*;q=0.8 | JSON",
                "text/html;p=\"a, text/event-stream;q=1\", application/json | JSON",
                "application/json;q=high | JSON",
                "application/json;q=7 | JSON",
            })
    void choosesTheMediaType(String header, Media media) {
        assertThat(chosen(FEED, header).media()).isEqualTo(media);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json;int64=string | STRING",
                "application/json; Int64=\"String\" | STRING",
                "application/json;q=0.5;int64=string | STRING",
                "application/json;int64=string;q=0.5 | STRING",
                "application/json;charset=utf-8;int64=string | STRING",
                "application/json;int64=number | NUMBER",
                "application/json | NUMBER",
                "application/*;int64=string | STRING",
                "*/*;int64=string | STRING",
                "application/json, application/json;int64=string | STRING",
                "application/json;int64=string, application/json | STRING",
                "application/json;int64=string, */*;q=0.5 | STRING",
                "application/json, application/json;int64=string;q=0.5 | NUMBER",
                "application/json;int64=string;q=0, */* | NUMBER",
                "application/json;int64=number;q=0, */* | STRING",
                "application/json;int64=text, */*;q=0.1 | NUMBER",
            })
    void choosesTheFormOfIntegers(String header, Int64Form form) {
        assertThat(chosen(List.of(Media.JSON), header)).isEqualTo(new Representation(Media.JSON, form));
    }

    @Test
    void bytesAndRoutesWithoutGraphHaveOneForm() {
        assertThat(chosen(List.of(Media.BYTES), "application/octet-stream;int64=string")
                        .contentType(Media.BYTES))
                .isEqualTo("application/octet-stream");
        assertThat(Accept.choose(List.of("application/json;int64=string"), List.of(Media.JSON), false))
                .isEqualTo(Representation.PLAIN_JSON);
        assertThat(chosen(FEED, "*/*;int64=string").contentType(Media.EVENTS))
                .isEqualTo("text/event-stream;int64=string");
    }

    @Test
    void severalHeadersAreOneAndNoneAcceptsTheUsualForm() {
        assertThat(chosen(FEED, "application/json;q=0.1", "text/event-stream").media())
                .isEqualTo(Media.EVENTS);
        assertThat(chosen(FEED)).isEqualTo(Representation.PLAIN_JSON);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "image/png",
                "text/html, application/xml",
                "application/json;q=0",
                "application/json;q=0, text/*",
                "application/json;charset=latin1",
                "application/json;int64=text",
                "*/*;q=0",
                "*/*;q=0.000, image/png",
                "application/x-ndjson",
                "json",
                "application/jsonx",
                "\"application/json\"",
            })
    void refusesAHeaderThatExcludesTheAnswer(String header) {
        assertThatExceptionOfType(ServiceException.class)
                .isThrownBy(() -> chosen(List.of(Media.JSON), header))
                .withMessageContaining("application/json")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_ACCEPTABLE));
    }
}
