package service.http.route;

import static org.assertj.core.api.Assertions.assertThat;
import static service.http.route.BlobPreconditions.Outcome.NOT_MODIFIED;
import static service.http.route.BlobPreconditions.Outcome.PRECONDITION_FAILED;
import static service.http.route.BlobPreconditions.Outcome.PROCEED;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BlobPreconditionsTest {
    private static final String ETAG = "\"abc\"";

    private static BlobPreconditions.Outcome ifMatch(String... values) {
        return BlobPreconditions.decide(List.of(values), List.of(), ETAG);
    }

    private static BlobPreconditions.Outcome ifNoneMatch(String... values) {
        return BlobPreconditions.decide(List.of(), List.of(values), ETAG);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "\"abc\" | true | true",
                "* | true | true",
                "\"x\", \"abc\" | true | true",
                "\"x\",\"abc\",\"y\" | true | true",
                ", \"abc\" | true | true",
                "\"x\",,\"abc\" | true | true",
                "W/\"abc\" | false | true",
                "\"x\", W/\"abc\" | false | true",
                "w/\"abc\" | false | false",
                "\"x\" | false | false",
                "\"ABC\" | false | false",
                "abc | false | false",
                "\"a,b\", \"abc\" | true | true",
                "\"x, abc\" | false | false",
            })
    void comparesStronglyAndWeakly(String header, boolean strong, boolean weak) {
        assertThat(ifMatch(header)).isEqualTo(strong ? PROCEED : PRECONDITION_FAILED);
        assertThat(ifNoneMatch(header)).isEqualTo(weak ? NOT_MODIFIED : PROCEED);
    }

    @Test
    void repeatedPreconditionHeadersAreJoined() {
        assertThat(ifMatch("\"x\"", "\"abc\"")).isEqualTo(PROCEED);
        assertThat(ifNoneMatch("\"x\"", "\"abc\"")).isEqualTo(NOT_MODIFIED);
    }

    @Test
    void ifMatchIsEvaluatedBeforeIfNoneMatch() {
        assertThat(BlobPreconditions.decide(List.of("\"x\""), List.of(ETAG), ETAG))
                .isEqualTo(PRECONDITION_FAILED);
        assertThat(BlobPreconditions.decide(List.of(ETAG), List.of(ETAG), ETAG)).isEqualTo(NOT_MODIFIED);
    }

    @Test
    void ifRangeMatchesOnlyTheStrongTagOfTheBlob() {
        assertThat(BlobPreconditions.allowsRange(List.of(), ETAG)).isTrue();
        assertThat(BlobPreconditions.allowsRange(List.of(ETAG), ETAG)).isTrue();
        assertThat(BlobPreconditions.allowsRange(List.of("W/" + ETAG), ETAG)).isFalse();
        assertThat(BlobPreconditions.allowsRange(List.of("\"x\""), ETAG)).isFalse();
        assertThat(BlobPreconditions.allowsRange(List.of("*"), ETAG)).isFalse();
        assertThat(BlobPreconditions.allowsRange(List.of(ETAG, ETAG), ETAG)).isFalse();
        assertThat(BlobPreconditions.allowsRange(List.of("Sat, 21 Nov 2026 00:00:00 GMT"), ETAG))
                .isFalse();
    }
}
