package service.http.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import service.http.auth.token.ProtectedResource;

/** The files of the console hold together, keep to the policy, and are small. */
final class ConsoleAssetsTest {
    private static final Path SOURCES =
            Path.of(System.getProperty("service.root"), "http", "src", "main", "resources", "console");
    private static final ConsoleAssets ASSETS = ConsoleAssets.load(null);
    private static final int LINES_MAX = 300;
    private static final int FIRST_PAGE_BYTES_MAX = 60 << 10;
    private static final int QUERY_PAGE_BYTES_MAX = 340 << 10;

    private static final Pattern STATIC = Pattern.compile(
            "^\\s*(?:import|export)\\s*(?:[^'\"();]*?\\bfrom\\s*)?['\"]([^'\"]+)['\"]", Pattern.MULTILINE);
    private static final Pattern MINIFIED = Pattern.compile("\\b(?:from|import)\\s*['\"]([^'\"]+)['\"]");
    private static final Pattern DYNAMIC = Pattern.compile("import\\(\\s*['\"`]([^'\"`]+)['\"`]");
    private static final Pattern MAPPED = Pattern.compile("\"([^\"]+)\":\"\\./[0-9a-f]{20}/([^\"]+)\"");

    /** What the policy forbids, and what would make markup of data. */
    private static final List<Pattern> FORBIDDEN = Stream.of(
                    "https?://(?!www\\.w3\\.org/)",
                    "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|unsafeHTML|unsafeSVG",
                    "\\beval\\(|new Function",
                    "\\sstyle=",
                    "\\son[a-z]+=[\"'$]",
                    "javascript:",
                    "localStorage\\.setItem\\(['\"]token",
                    "@import|url\\(")
            .map(Pattern::compile)
            .toList();

    private static String text(String name) {
        return new String(ASSETS.files().get(name).bytes(), StandardCharsets.UTF_8);
    }

    private static List<String> own() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> SOURCES.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> !name.equals("files.txt"))
                    .sorted()
                    .toList();
        }
    }

    private static Map<String, String> importMap() {
        return MAPPED.matcher(text(ConsoleAssets.INDEX))
                .results()
                .collect(java.util.stream.Collectors.toMap(found -> found.group(1), found -> found.group(2)));
    }

    private static String resolve(String from, String named) {
        if (!named.startsWith(".")) {
            Map<String, String> map = importMap();
            String mapped = map.get(named);
            int slash = named.indexOf('/');
            return mapped != null || slash < 0
                    ? mapped
                    : map.get(named.substring(0, slash + 1)) + named.substring(slash + 1);
        }
        Path folder = Path.of("/" + from).getParent();
        return folder.resolve(named).normalize().toString().substring(1);
    }

    private static List<String> imports(String name, boolean dynamic) {
        List<String> named = new ArrayList<>();
        Pattern statics = name.startsWith("lib/lit-html") ? MINIFIED : STATIC;
        statics.matcher(text(name)).results().forEach(found -> named.add(found.group(1)));
        if (dynamic) {
            DYNAMIC.matcher(text(name)).results().forEach(found -> named.add(found.group(1)));
        }
        return named.stream().map(one -> resolve(name, one)).toList();
    }

    private static Set<String> reachable(String... first) {
        Set<String> all = new LinkedHashSet<>();
        List<String> next = new ArrayList<>(List.of(first));
        while (!next.isEmpty()) {
            String name = next.removeLast();
            if (all.add(name) && name.endsWith(".js")) {
                next.addAll(imports(name, false));
            }
        }
        return all;
    }

    private static int compressed(Set<String> names) {
        return names.stream()
                .mapToInt(name -> ASSETS.files().get(name).compressed().length)
                .sum();
    }

    @Test
    void theListNamesEveryFile() throws IOException {
        Set<String> listed = new TreeSet<>(List.of(ConsoleAssets.names()));
        listed.removeIf(name -> name.startsWith("lib/"));
        assertThat(listed).isEqualTo(new TreeSet<>(own()));
    }

    @Test
    void everyImportResolves() {
        for (String name : ConsoleAssets.names()) {
            if (name.endsWith(".js") && !name.startsWith("lib/d3-")) {
                assertThat(imports(name, true))
                        .as(name)
                        .allSatisfy(named -> assertThat(ASSETS.files()).containsKey(named));
            }
        }
        assertThat(importMap().values().stream().filter(name -> !name.endsWith("/")))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(ASSETS.files()).containsKey(name));
    }

    @Test
    void sourcesKeepToThePolicy() throws IOException {
        for (String name : own()) {
            String source = text(name);
            assertThat(source.lines().count()).as(name).isLessThanOrEqualTo(LINES_MAX);
            for (Pattern forbidden : FORBIDDEN) {
                Matcher found = forbidden.matcher(source);
                assertThat(found.find() ? found.group() : null)
                        .as("%s holds %s", name, forbidden)
                        .isNull();
            }
            if (!name.equals("api.js") && !name.equals("sse.js")) {
                assertThat(source).as(name).doesNotContain("fetch(", "XMLHttpRequest", "EventSource(", "WebSocket");
            }
        }
    }

    @Test
    void thePolicyAllowsTheImportMap() throws Exception {
        String index = text(ConsoleAssets.INDEX);
        int start = index.indexOf('>', index.indexOf("importmap")) + 1;
        byte[] map = index.substring(start, index.indexOf("</script>", start)).getBytes(StandardCharsets.UTF_8);
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(map);
        assertThat(ASSETS.policy()).contains("'sha256-" + Base64.getEncoder().encodeToString(digest) + "'");
        // Every other script is a file.
        assertThat(index.split("<script", -1)).hasSize(3);
        assertThat(index).contains(" src=\"" + ASSETS.folder() + "/app.js\"").doesNotContain("@folder@");
    }

    @Test
    void thePolicyAllowsTheProviderThatSignsPeopleInAndNoOther() {
        ProtectedResource resource = new ProtectedResource(
                "https://graph.example.com", "https://login.example/realms/a", List.of("a<b", "c&d"), "app");
        ConsoleAssets signing = ConsoleAssets.load(resource);
        assertThat(ASSETS.policy()).contains("; connect-src 'self'; ");
        assertThat(signing.policy()).contains("; connect-src 'self' https://login.example; ");
        assertThat(signing.policy().replace(" https://login.example", "")).isEqualTo(ASSETS.policy());
        assertThat(new String(signing.files().get(ConsoleAssets.INDEX).bytes(), StandardCharsets.UTF_8))
                .contains(
                        "<meta name=\"sign-in\" content=\"{&quot;issuer&quot;:&quot;https://login.example/realms/a&quot;,"
                                + "&quot;client_id&quot;:&quot;app&quot;,&quot;resource&quot;:&quot;https://graph.example.com&quot;,"
                                + "&quot;scope&quot;:&quot;a&lt;b c&amp;d&quot;}\">");
        // The other files are the same, so that caches keep them; the page is another one.
        assertThat(signing.folder()).isEqualTo(ASSETS.folder());
        assertThat(signing.tag()).isNotEqualTo(ASSETS.tag());
        assertThat(text(ConsoleAssets.INDEX)).contains("<meta name=\"sign-in\" content=\"\">");
        assertThat(ConsoleAssets.load(new ProtectedResource("https://g.example", "https://l.example", List.of(), null))
                        .policy())
                .isEqualTo(ASSETS.policy());
    }

    @Test
    void everyLibraryHasItsLicence() {
        Set<String> libraries = new TreeSet<>();
        for (String name : ConsoleAssets.names()) {
            if (name.startsWith("lib/")) {
                libraries.add(name.split("/", -1)[1]);
            }
        }
        assertThat(libraries).hasSize(17).allSatisfy(library -> {
            assertThat(text("lib/" + library + "/LICENSE").toLowerCase(java.util.Locale.ROOT))
                    .contains("copyright");
            assertThat(text(ConsoleAssets.LICENCES)).contains("== " + library + " ==");
        });
    }

    @Test
    void pagesAreSmall() {
        Set<String> first = reachable(ConsoleAssets.INDEX, "app.js", "app.css", "icon.svg");
        assertThat(compressed(first)).isLessThan(FIRST_PAGE_BYTES_MAX);
        Set<String> query = new LinkedHashSet<>(first);
        query.addAll(reachable("pages/query.js"));
        assertThat(compressed(query)).isLessThan(QUERY_PAGE_BYTES_MAX);
    }
}
