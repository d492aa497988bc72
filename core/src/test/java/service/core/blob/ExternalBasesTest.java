package service.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ExternalBasesTest {
    @ParameterizedTest
    @CsvSource({
        "s3://assets/knowledge/, s3://assets/knowledge/a.png, true",
        "s3://assets/knowledge/, s3://assets/knowledge/deep/a.png, true",
        "s3://assets/knowledge/, s3://assets/knowledge/, true",
        "s3://assets/knowledge/, s3://assets/knowledge, false",
        "s3://assets/knowledge, s3://assets/knowledge, true",
        "s3://assets/knowledge, s3://assets/knowledge/a.png, true",
        "s3://assets/knowledge, s3://assets/knowledge-evil/a.png, false",
        "s3://assets/knowledge/, s3://assets/knowledge-evil/a.png, false",
        "s3://assets/knowledge/, s3://assets.evil.example/knowledge/a.png, false",
        "s3://assets/knowledge/, S3://ASSETS/knowledge/a.png, true",
        "s3://assets/knowledge/, s3://assets/Knowledge/a.png, false",
        "s3://assets, s3://assets/anything, true",
        "s3://assets/, s3://assets/anything, true",
        "s3://my_bucket/x/, s3://my_bucket/x/y, true",
        "https://cdn.example/a/, http://cdn.example/a/b, false",
        "https://cdn.example/a/, https://cdn.example:443/a/b, true",
        "https://cdn.example/a/, https://cdn.example:8443/a/b, false",
        "https://cdn.example:8443/a/, https://cdn.example:8443/a/b, true",
        "https://cdn.example:8443/a/, https://cdn.example/a/b, false",
        "https://[2001:DB8::1]/a/, https://[2001:db8::1]/a/b, true",
        "https://cdn.example/a%20b/, https://cdn.example/a%20b/c, true",
    })
    void coversByComponents(String base, String uri, boolean covered) {
        assertThat(ExternalBases.of(List.of(base)).cover(uri)).isEqualTo(covered);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://cdn.example/a/../secret",
                "https://cdn.example/a/..",
                "https://cdn.example/a/./b",
                "https://cdn.example/a/%2e%2e/secret",
                "https://cdn.example/a/%2E/b",
                "https://cdn.example/a/b%2eexe",
                "https://cdn.example/a/%252e%252e/secret",
                "https://cdn.example/a/..%2fsecret",
                "https://cdn.example/a/x%5c..%5csecret",
                "https://cdn.example/a/b?version=1",
                "https://cdn.example/a/b?",
                "https://cdn.example/a/b#part",
                "https://cdn.example/a/b#",
                "https://user@cdn.example/a/b",
                "https://user:secret@cdn.example/a/b",
                "https://cdn.example@evil.example/a/b",
                "https://cdn.example:/a/b",
                "https://cdn.example\\a\\b",
                "https:cdn.example/a/b",
                "https:/cdn.example/a/b",
                "//cdn.example/a/b",
                "/a/b",
                "a/b",
                "",
                "mailto:ada@cdn.example",
                "https://cdn.example/a/ä",
                "https://cdn.example/a/b c",
                "https://cdn.example/a/b\r\nX: y",
            })
    void refusesReferencesThatAreNotPlainLocations(String uri) {
        ExternalBases bases = ExternalBases.of(List.of("https://cdn.example/a/"));
        assertThat(bases.cover(uri)).isFalse();
        assertThatThrownBy(() -> ExternalBases.of(List.of(uri))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void coversByAnyBaseAndNothingWithoutBases() {
        ExternalBases bases = ExternalBases.of(List.of("s3://one/", "s3://two/"));
        assertThat(bases.cover("s3://two/x")).isTrue();
        assertThat(bases.cover("s3://three/x")).isFalse();
        assertThat(ExternalBases.NONE.cover("s3://one/x")).isFalse();
    }

    @Test
    void refusesWhatIsTooLong() {
        assertThat(ExternalBases.of(List.of("s3://one/")).cover("s3://one/" + "x".repeat(4_096)))
                .isFalse();
    }
}
