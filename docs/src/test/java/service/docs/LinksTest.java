package service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks the links of every page of the repository: the file of a relative link exists, and the page that it names has
 * a heading for its anchor. An anchor is made of a heading as GitHub makes it.
 */
final class LinksTest {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));

    private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern SPAN = Pattern.compile("`[^`\n]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern OTHER_SITE = Pattern.compile("^[a-z]+:");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{M}\\p{N}_ -]");

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        List<Path> pages = pages();
        assertThat(pages).hasSizeGreaterThan(80);
        assertThat(pages.stream()
                        .flatMap(page -> broken(page, read(page)).map(link -> ROOT.relativize(page) + ": " + link)))
                .as("links that lead nowhere")
                .isEmpty();
    }

    /** A link that this test did not recognise would never be reported. */
    @Test
    void aLinkToNothingIsReported() {
        String text = """
                # Some `code`, twice
                ## Again
                ## Again
                [a](gone.md) [b](glossary.md#gone) [c](#gone) [d](../docs/gone/#x) ![e](gone.png) [f](#again-2)
                [fine](#some-code-twice) [fine](#again-1) [fine](glossary.md) [web](https://example.org/#x)
                `[span](gone.md)`
                ```
                [block](gone.md)
                # Gone
                ```
                """;
        assertThat(broken(ROOT.resolve("docs/page.md"), text))
                .containsExactly("gone.md", "glossary.md#gone", "#gone", "../docs/gone/#x", "gone.png", "#again-2");
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> clients = Files.walk(ROOT.resolve("clients"))) {
            return Stream.of(top, docs, clients)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().matches(".*/(target|node_modules)/.*"))
                    .toList();
        }
    }

    private static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Stream<String> broken(Path page, String text) {
        String prose = SPAN.matcher(FENCE.matcher(text).replaceAll("")).replaceAll("");
        return LINK.matcher(prose)
                .results()
                .map(link -> link.group(1))
                .filter(link -> !OTHER_SITE.matcher(link).find())
                .filter(link -> !leadsSomewhere(page, text, link));
    }

    private boolean leadsSomewhere(Path page, String text, String link) {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        String anchor = link.substring(hash + 1);
        if (file.isEmpty()) {
            return anchorsOf(text).contains(anchor);
        }
        Path target = page.resolveSibling(file).normalize();
        if (hash < 0 || !file.endsWith(".md")) {
            return Files.exists(target);
        }
        return Files.exists(target)
                && anchors.computeIfAbsent(target, other -> anchorsOf(read(other)))
                        .contains(anchor);
    }

    /** The anchors of all headings; equal ones after the first one are numbered. */
    private static Set<String> anchorsOf(String text) {
        Set<String> anchors = new HashSet<>();
        HEADING.matcher(FENCE.matcher(text).replaceAll("")).results().forEach(heading -> {
            String words = heading.group(1).strip().toLowerCase(Locale.ROOT);
            String anchor = NOT_IN_ANCHORS.matcher(words).replaceAll("").replace(' ', '-');
            String numbered = anchor;
            for (int i = 1; !anchors.add(numbered); i++) {
                numbered = anchor + "-" + i;
            }
        });
        return anchors;
    }
}
