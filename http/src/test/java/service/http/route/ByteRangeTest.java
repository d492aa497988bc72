package service.http.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

final class ByteRangeTest {
    private static final long LENGTH = 10;

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0, 0, 0",
        "bytes=0-9, 0, 9",
        "bytes=3-5, 3, 5",
        "bytes=3-, 3, 9",
        "bytes=9-, 9, 9",
        "bytes=0-, 0, 9",
        "bytes=3-99, 3, 9",
        "bytes=3-99999999999999999999999, 3, 9",
        "bytes=-1, 9, 9",
        "bytes=-10, 0, 9",
        "bytes=-11, 0, 9",
        "bytes=-99999999999999999999999, 0, 9",
        "BYTES=1-2, 1, 2",
        "' bytes=1-2 ', 1, 2",
    })
    void parsesOneRange(String header, long start, long end) {
        ByteRange range = ByteRange.of(List.of(header), LENGTH);
        assertThat(range).isEqualTo(new ByteRange(start, end));
        assertThat(range.length()).isEqualTo(end - start + 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes=5-3",
                "bytes=-",
                "bytes=",
                "bytes",
                "bytes=a-b",
                "bytes=1",
                "bytes=1-2-3",
                "bytes=0-1,3-4",
                "bytes=0-1,",
                "bytes=,0-1",
                "items=0-1",
                "bytes 0-1",
                "bytes =0-1",
                "bytes= 0-1",
                "bytes=+0-1",
                "bytes=0x0-1",
                "",
                "bytes=--1",
                "bytes=0-1;q=1",
                "seconds=1-"
            })
    void meansTheWholeBlobWhenMalformedOrSeveral(String header) {
        assertThat(ByteRange.of(List.of(header), LENGTH)).isNull();
    }

    @Test
    void theLastBytesOfAnEmptyBlobAreAllOfIt() {
        assertThat(ByteRange.of(List.of("bytes=-5"), 0)).isNull();
    }

    @Test
    void aMissingOrRepeatedRangeHeaderMeansTheWholeBlob() {
        assertThat(ByteRange.of(List.of("bytes=0-1", "bytes=2-3"), LENGTH)).isNull();
        assertThat(ByteRange.of(List.of(), LENGTH)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=10-, 10, 10, 9",
        "bytes=10-12, 10, 10, 12",
        "bytes=99999999999999999999999-, 10, 9223372036854775807, 9",
        "bytes=-0, 10, 10, 9",
        "bytes=0-0, 0, 0, 0",
        "bytes=0-, 0, 0, 0",
    })
    void refusesARangeThatBeginsAfterTheEnd(String header, long length, long start, long end) {
        assertThatThrownBy(() -> ByteRange.of(List.of(header), length))
                .isInstanceOfSatisfying(ServiceException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.RANGE_NOT_SATISFIABLE);
                    assertThat(e.detail()).isEqualTo(new ErrorDetail.BlobRange(start, end, length));
                });
    }
}
