package service.core.blob;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.testkit.MemoryStageFile;
import service.core.testkit.Seed;
import service.core.value.Value;

/** A parser of the lifter's output returns the same as a parser of the input, except for the blobs. */
final class BlobLifterTest {
    private static StagedBlobs stage() {
        return StagedBlobs.in(() -> new MemoryStageFile(new AtomicInteger()));
    }

    /** Returns its input in pieces of random length, as a network does. */
    private static InputStream pieces(byte[] bytes, Random random) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, 1 + random.nextInt(9)));
            }
        };
    }

    private List<String> tokens(JsonParser parser) throws IOException {
        List<String> tokens = new ArrayList<>();
        try (parser) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                tokens.add(token + " " + parser.getText());
            }
        }
        return tokens;
    }

    private LiftedParser lifted(InputStream in, StagedBlobs staged) throws IOException {
        BlobLifter lifter = new BlobLifter(in, staged);
        return new LiftedParser(new JsonFactory().createParser(lifter), lifter);
    }

    @Test
    void everyInputIsPreserved(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < 400; round++) {
            byte[] json = document(random).getBytes(StandardCharsets.UTF_8);
            try (StagedBlobs staged = stage()) {
                assertThat(tokens(lifted(pieces(json, random), staged)))
                        .as("round %d", round)
                        .isEqualTo(tokens(new JsonFactory().createParser(json)));
            }
        }
    }

    private static String document(Random random) {
        StringBuilder json = new StringBuilder("[");
        int n = 1 + random.nextInt(6);
        for (int i = 0; i < n; i++) {
            json.append(i == 0 ? "" : ", ").append('"').append(content(random)).append('"');
        }
        return json.append(",{\"base64:QQ==\":\"base64:\",\"b\\\"base64:\":1}]").toString();
    }

    private static String content(Random random) {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        String text = Base64.getEncoder().encodeToString(bytes);
        return switch (random.nextInt(10)) {
            case 0 -> "base64:" + text.replace("=", "");
            case 1 -> "base64:" + text.replace("/", "\\/");
            case 2 -> "base64:" + text + "\\n";
            case 3 -> "base64:" + text + "ä\\\"";
            case 4 -> "base64" + text;
            case 5 -> "\\\\\\\"base64:" + text;
            case 6 -> "base64:" + text + "=";
            case 7 -> "base64:" + text.replaceFirst("[A-Z]", "\\\\u0041");
            case 8 -> "base64:QUJ\\/" + text.replace('=', 'A') + "-";
            default -> "base64:" + text;
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 100, 40_000, 300_001})
    void liftsWholeBlobs(int length) throws IOException {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        String text = "base64:" + Base64.getEncoder().encodeToString(bytes);
        byte[] json = ("{\"a\":\"" + text + "\",\"b\":\"" + text.replace("/", "\\/") + "\"}")
                .getBytes(StandardCharsets.UTF_8);
        try (StagedBlobs staged = stage();
                LiftedParser parser = lifted(new ByteArrayInputStream(json), staged)) {
            for (int i = 0; i < 2; i++) {
                while (parser.nextToken() != JsonToken.VALUE_STRING) {
                    assertThat(parser.currentToken()).isNotNull();
                }
                Value.ManagedBlob blob = parser.blob();
                assertThat(blob).isNotNull();
                byte[] read = new byte[length];
                staged.read(blob, 0, read, length);
                assertThat(read).isEqualTo(bytes);
                assertThat(parser.getText()).isEqualTo(text);
            }
            assertThat(staged.bytes()).isEqualTo(length);
        }
    }

    /** A client that guesses the form of a placeholder gets back the text that it sent. */
    @Test
    void noInputContainsAPlaceholder() throws IOException {
        String guess = "base64:!" + "0".repeat(40);
        byte[] json = ("[\"base64:QQ==\",\"" + guess + "\"]").getBytes(StandardCharsets.UTF_8);
        try (StagedBlobs staged = stage();
                LiftedParser parser = lifted(new ByteArrayInputStream(json), staged)) {
            parser.nextToken();
            parser.nextToken();
            assertThat(parser.blob()).isNotNull();
            parser.nextToken();
            assertThat(parser.blob()).isNull();
            assertThat(parser.getText()).isEqualTo(guess);
        }
    }
}
