package service.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.json.Json;

/**
 * Follows the recipes of {@code docs/contributing.md} for a function, a route and a command in a scratch copy of the
 * files that they name. What is written into each file stands in {@code recipes/*.txt}: {@code ===} names a file,
 * {@code ---} a place in it, and the lines after it are inserted there.
 */
final class RecipesTest {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final Path SCRATCH = ROOT.resolve("docs/target/recipes");
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\|.*");

    @BeforeEach
    void removeTheLastCopy() throws IOException {
        if (Files.exists(SCRATCH)) {
            try (Stream<Path> files = Files.walk(SCRATCH)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectories(SCRATCH);
    }

    /** The function answers a read, and the command prints what the route answers. */
    @Test
    void whatTheRecipesMakeRuns() throws Exception {
        Map<String, String> made = new LinkedHashMap<>();
        for (String recipe : List.of("function", "route", "command")) {
            made.putAll(follow(recipe));
        }
        String document = Objects.requireNonNull(made.get("http/src/main/resources/openapi.json"));
        assertThat(Json.readObject(document.getBytes(UTF_8), "document")
                        .path("paths")
                        .has("/graphs/{graph_id}/types"))
                .isTrue();
        made.put("docs/src/test/java/service/recipes/Made.java", resource("Made.java"));
        List<Path> sources = write(made);
        assertThat(compile(sources)).isEmpty();

        Path answer = SCRATCH.resolve("answer.json");
        Path printed = SCRATCH.resolve("printed.txt");
        Process run = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + ROOT.resolve("bin/jvm-options"),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classes() + File.pathSeparator + classPath(),
                        "service.recipes.Made",
                        SCRATCH.resolve("store").toString(),
                        answer.toString())
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        assertThat(run.waitFor()).as(() -> read(printed)).isZero();
        assertThat(read(answer)).contains("\"rows\":[{\"n\":4}]");
        assertThat(read(printed)).isEqualTo("Person\n");
    }

    /** Who forgets the oracle of the tests is told by the compiler. */
    @Test
    void theCompilerAsksForTheOracle() throws IOException {
        Map<String, String> made = follow("function");
        String oracle = made.keySet().stream()
                .filter(file -> file.endsWith("NaiveFunctions.java"))
                .findFirst()
                .orElseThrow();
        made.put(oracle, Files.readString(ROOT.resolve(oracle)));
        assertThat(compile(write(made))).contains("NaiveFunctions.java").contains("does not cover all possible");
    }

    @ParameterizedTest
    @CsvSource({"function, To add a scalar function of GQ", "route, To add a route", "command, To add a CLI command"})
    void aRecipeNamesTheFilesThatItTakes(String recipe, String title) throws IOException {
        List<Pattern> named = rows(title);
        List<String> touched = List.copyOf(follow(recipe).keySet());
        assertThat(touched)
                .allMatch(
                        file -> named.stream().anyMatch(row -> row.matcher(file).matches()));
        assertThat(named)
                .allMatch(row ->
                        touched.stream().anyMatch(file -> row.matcher(file).matches()));
    }

    /** The files of a recipe: {@code ...} is the folder of the module's sources, {@code …} any text. */
    private static List<Pattern> rows(String title) throws IOException {
        String page = Files.readString(ROOT.resolve("docs/contributing.md"));
        String section = page.substring(page.indexOf("\n## " + title + "\n") + 1);
        return section.substring(0, section.indexOf("\n## "))
                .lines()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1))
                .map(file -> file.replace("/.../", "/src/main/java/service/" + file.split("/", 2)[0] + "/"))
                .map(file -> Pattern.compile("\\Q" + file.replace("…", "\\E.*\\Q") + "\\E"))
                .toList();
    }

    /** The files as a recipe changes them, by their paths. */
    private static Map<String, String> follow(String recipe) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        String[] parts = resource(recipe + ".txt").split("(?m)^=== ", -1);
        for (String part : List.of(parts).subList(1, parts.length)) {
            String file = part.lines().findFirst().orElseThrow();
            String text = null;
            String[] edits = part.split("(?m)^--- ", -1);
            for (String edit : List.of(edits).subList(1, edits.length)) {
                String place = edit.lines().findFirst().orElseThrow();
                String inserted = edit.substring(edit.indexOf('\n') + 1);
                if (place.equals("new")) {
                    assertThat(ROOT.resolve(file)).doesNotExist();
                    text = inserted;
                    continue;
                }
                text = text == null ? Files.readString(ROOT.resolve(file)) : text;
                text = inserted(text, place, inserted, file);
            }
            files.put(file, Objects.requireNonNull(text));
        }
        return files;
    }

    private static String inserted(String text, String place, String inserted, String file) {
        if (place.equals("last")) {
            int end = file.endsWith(".java") ? text.lastIndexOf('}') : text.length();
            return text.substring(0, end) + inserted + text.substring(end);
        }
        String word = place.substring(0, place.indexOf(": "));
        String anchor = place.substring(word.length() + 2);
        assertThat(text).as(file).containsOnlyOnce(anchor);
        int at = text.indexOf(anchor);
        return word.equals("replace")
                ? text.replace(anchor, inserted.stripTrailing())
                : text.substring(0, at) + inserted + text.substring(at);
    }

    private static String resource(String name) throws IOException {
        try (InputStream content = RecipesTest.class.getResourceAsStream("/recipes/" + name)) {
            return new String(content.readAllBytes(), UTF_8);
        }
    }

    /** Writes the copy and returns the sources that this module's class path can compile. */
    private static List<Path> write(Map<String, String> files) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path copy = SCRATCH.resolve(file.getKey());
            Files.createDirectories(Objects.requireNonNull(copy.getParent()));
            Files.writeString(copy, file.getValue());
            if (file.getKey().endsWith(".java") && !file.getKey().startsWith("fixtures/")) {
                sources.add(copy);
            }
        }
        return sources;
    }

    private static Path classes() {
        return SCRATCH.resolve("classes");
    }

    /** The classes of this process, then those of the tests that it does not have. */
    private static String classPath() {
        return Stream.concat(
                        Stream.of(System.getProperty("java.class.path")),
                        Stream.of("core", "projection")
                                .map(module -> ROOT.resolve(module)
                                        .resolve("target/test-classes")
                                        .toString()))
                .reduce((one, two) -> one + File.pathSeparator + two)
                .orElseThrow();
    }

    /** Compiles sources and returns what the compiler says. */
    private static String compile(List<Path> sources) throws IOException {
        Files.createDirectories(classes());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, UTF_8)) {
            List<String> options =
                    List.of("-proc:none", "-nowarn", "-d", classes().toString(), "-cp", classPath());
            compiler.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
        }
        return said.toString();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
