package service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the code that a page names exists: in code spans, files and folders ({@code core/.../graph/Graph.java},
 * {@code bin/bench}), packages ({@code core.graph}), classes and their members ({@code Graph.mutate}); in text blocks,
 * class names of several words. The code names only pages that exist.
 */
final class CodeNamesTest {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final List<String> MODULES =
            List.of("core", "log", "projection", "http", "mcp", "cli", "fixtures", "docs", "clients/kafka-connect");

    private static final Pattern FENCE = Pattern.compile("(?ms)^```(\\w*)$(.*?)^```$");
    private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
    private static final Pattern WORDS = Pattern.compile("\\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\\b");
    private static final Pattern TYPE = Pattern.compile("([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:\\.(\\w+))*");
    private static final Pattern PACKAGE = Pattern.compile("(" + String.join("|", MODULES) + ")(\\.[a-z]+)+");
    private static final Pattern FILE = Pattern.compile("[\\w.-]+(?:/[\\w.-]+)*/?");
    private static final Pattern PAGE = Pattern.compile("[\\w./-]*\\w\\.md\\b");
    private static final Pattern JAVA_FILE = Pattern.compile("\\w[\\w-]*\\.java");

    private static final Pattern NUMBER_READ =
            Pattern.compile("(?:Integer\\.getInteger|Long\\.getLong)\\(([^,()]+), ([^,()]+)\\)");

    /** The Java files of all modules by name. */
    private static final Map<String, List<Path>> SOURCES = sources();

    private static Map<String, List<Path>> sources() {
        Map<String, List<Path>> found = new HashMap<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .forEach(file -> found.computeIfAbsent(
                                        String.valueOf(file.getFileName()), name -> new ArrayList<>())
                                .add(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/architecture.md", "docs/contributing.md", "README.md"})
    void everyNamedPartOfTheCodeExists(String page) throws IOException {
        assertThat(missing(Files.readString(ROOT.resolve(page))))
                .as("names in %s without a file, class, package or member", page)
                .isEmpty();
    }

    /** The table of longer runs has every property, and the numbers that the tests use without it. */
    @Test
    void longerRunsHaveTheirUsualNumbers() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/contributing.md"));
        Set<String> unnamed = new TreeSet<>();
        SOURCES.values().stream()
                .flatMap(List::stream)
                .forEach(file -> unnamed.addAll(usual(file).keySet()));
        unnamed.removeIf(property -> page.contains("`" + property) || page.contains("-D" + property));
        assertThat(unnamed)
                .as("properties that docs/contributing.md does not name")
                .isEmpty();
        List<String[]> rows = page.lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split(" \\| "))
                .filter(cells -> cells[cells.length - 1].matches("[0-9,; ]+ \\|"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(10);
        for (String[] cells : rows) {
            Map<String, List<String>> numbers = new HashMap<>();
            SPAN.matcher(cells[1])
                    .results()
                    .flatMap(name -> SOURCES.getOrDefault(name.group(1) + ".java", List.of()).stream())
                    .forEach(file -> usual(file)
                            .forEach((property, number) -> numbers.computeIfAbsent(property, any -> new ArrayList<>())
                                    .add(number)));
            List<String> expected = SPAN.matcher(cells[0])
                    .results()
                    .flatMap(name -> numbers.getOrDefault(name.group(1), List.of()).stream())
                    .toList();
            assertThat(cells[2].replaceAll("[, |]", "").split(";")).as(cells[0]).containsExactlyElementsOf(expected);
        }
    }

    /** The numeric system properties that a test reads, with their defaults. */
    private static Map<String, String> usual(Path file) {
        Map<String, String> usual = new HashMap<>();
        if (!file.toString().contains("/src/test/")) {
            return usual;
        }
        String source;
        try {
            source = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        NUMBER_READ.matcher(source).results().forEach(read -> {
            String property = constant(source, read.group(1));
            if (property.startsWith("\"")) {
                usual.put(
                        property.replace("\"", ""),
                        constant(source, read.group(2)).replace("_", ""));
            }
        });
        return usual;
    }

    /** What a constant of the file is, or the expression itself. */
    private static String constant(String source, String expression) {
        Matcher named =
                Pattern.compile(" " + Pattern.quote(expression) + " = ([^;]+);").matcher(source);
        return named.find() ? named.group(1) : expression;
    }

    /** Names that this test did not recognise would never be reported. */
    @Test
    void aNameWithoutCodeIsReported() {
        String page = "`core/.../graph/Gone.java`, `Gone.java`, `Gone`, `Graph.vanish`, `core.gone`, `bin/gone`, "
                + "\n```text\nGoneClass\n```\n";
        assertThat(missing(page))
                .containsExactlyInAnyOrder(
                        "core/.../graph/Gone.java",
                        "Gone.java",
                        "Gone",
                        "Graph.vanish",
                        "core.gone",
                        "bin/gone",
                        "GoneClass");
        String fine = "`core/.../graph/Graph.java`, `Graph.java`, `Graph.mutate`, `core.graph`, `bin/bench`, `MAX`, "
                + "`POST /x`\n```text\nGraphView\n```\n";
        assertThat(missing(fine)).isEmpty();
    }

    /** A comment or a message refers to pages that a reader of the repository has. */
    @Test
    void pagesThatTheCodeNamesExist() throws IOException {
        List<String> missing = new ArrayList<>();
        for (List<Path> files : SOURCES.values()) {
            for (Path file : files) {
                if (ROOT.relativize(file).toString().contains("src/main/")) {
                    PAGE.matcher(Files.readString(file))
                            .results()
                            .map(MatchResult::group)
                            .filter(page -> !page.startsWith("docs/") || !Files.exists(ROOT.resolve(page)))
                            .forEach(page -> missing.add(page + " in " + ROOT.relativize(file)));
                }
            }
        }
        assertThat(missing).as("pages that are not below docs/").isEmpty();
    }

    private static List<String> missing(String text) {
        List<String> missing = new ArrayList<>();
        FENCE.matcher(text)
                .results()
                .filter(block -> block.group(1).equals("text"))
                .flatMap(block -> WORDS.matcher(block.group(2)).results().map(MatchResult::group))
                .filter(name -> !SOURCES.containsKey(name + ".java"))
                .forEach(missing::add);
        String prose = FENCE.matcher(text).replaceAll("");
        SPAN.matcher(prose)
                .results()
                .map(span -> span.group(1))
                .filter(name -> !exists(name))
                .forEach(missing::add);
        return missing;
    }

    /** True also for text that names no code. */
    private static boolean exists(String name) {
        var type = TYPE.matcher(name);
        if (PACKAGE.matcher(name).matches()) {
            return isPackage(name);
        }
        if (JAVA_FILE.matcher(name).matches()) {
            return SOURCES.containsKey(name);
        }
        if (type.matches()) {
            return isType(type.group(1), type.group(2));
        }
        boolean path = FILE.matcher(name).matches() && name.contains("/");
        return !path || name.startsWith("/") || isPath(name);
    }

    private static boolean isPackage(String name) {
        String module = name.substring(0, name.indexOf('.'));
        String folder = "java/service/" + name.replace('.', '/');
        return Stream.of("main", "test")
                .anyMatch(set -> Files.isDirectory(
                        ROOT.resolve(module).resolve("src").resolve(set).resolve(folder)));
    }

    private static boolean isType(String type, String member) {
        List<Path> files = SOURCES.getOrDefault(type + ".java", List.of());
        return !files.isEmpty() && (member == null || files.stream().anyMatch(file -> hasWord(file, member)));
    }

    private static boolean hasWord(Path file, String word) {
        try {
            return Pattern.compile("\\b" + word + "\\b")
                    .matcher(Files.readString(file))
                    .find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A path from the root; {@code ...} is {@code src/main/java/service/} and the module. */
    private static boolean isPath(String name) {
        String module = name.substring(0, name.indexOf('/'));
        String whole = name.replace("/.../", "/src/main/java/service/" + module + "/");
        return Files.exists(ROOT.resolve(whole));
    }
}
