package service.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scripts in {@code bin}, copied into a folder whose name holds a blank, with a JDK and a Maven made of shell
 * scripts that print their arguments.
 */
final class LauncherTest {
    private static final Path REPOSITORY = Path.of(System.getProperty("service.root"));
    private static final int PROCESS_SECONDS_MAX = 20;
    private static final String COUNTED_BUILD = """
            echo built >>builds
            mkdir -p cli/target/app
            echo jar >cli/target/app/service-cli.jar
            """;

    @TempDir
    Path directory;

    private Path root;
    private Path jdk;

    @BeforeEach
    void copyTheScripts() throws IOException {
        root = Files.createDirectories(directory.resolve("a clone"));
        Files.createDirectory(root.resolve("bin"));
        try (Stream<Path> scripts = Files.list(REPOSITORY.resolve("bin"))) {
            for (Path script : scripts.toList()) {
                Files.copy(
                        script, root.resolve("bin").resolve(script.getFileName().toString()));
            }
        }
        try (Stream<Path> scripts = Files.list(root.resolve("bin"))) {
            scripts.forEach(script -> script.toFile().setExecutable(true));
        }
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        for (String module : List.of("core", "cli", "fixtures")) {
            Files.createDirectories(root.resolve(module).resolve("src/main/java"));
        }
        jdk = fakeJdk("jdk", "25.0.3");
    }

    @ParameterizedTest
    @CsvSource({"21.0.1,true", "23-ea,true", "25,true", "17.0.15,false", "1.8.0_402,false"})
    void javaHomeIsTakenWhenItIsNewEnough(String version, boolean taken) throws Exception {
        Path candidate = fakeJdk("candidate", version);
        Outcome outcome = run(
                Map.of("JAVA_HOME", candidate.toString(), "PATH", pathWith(jdk)),
                "/bin/sh",
                "-c",
                ". '" + root.resolve("bin/find-jdk") + "'; printf %s \"$JAVA_HOME\"");
        assertThat(outcome.output()).isEqualTo((taken ? candidate : jdk.toRealPath()).toString());
    }

    @Test
    void theCommandGetsItsArgumentsAndTheFlagsOfTheProject() throws Exception {
        pretendBuilt();
        Outcome outcome = service("query", "two words", "");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.output().lines())
                .contains("@" + root.resolve("bin/jvm-options"), application().toString())
                .containsSubsequence("service.cli.ServiceCommand", "query", "two words", "");
        assertThat(outcome.error()).isEmpty();
    }

    @Test
    void theCommandStartsThroughALink() throws Exception {
        pretendBuilt();
        Path link = directory.resolve("service");
        Files.createSymbolicLink(link, directory.relativize(root.resolve("bin/service")));
        Outcome outcome = run(environment(), link.toString(), "version");
        assertThat(outcome.output()).contains(application().toString());
    }

    @Test
    void theCommandStartsThroughALinkToItsFolder() throws Exception {
        pretendBuilt();
        Path link = directory.resolve("programs");
        Files.createSymbolicLink(link, root.resolve("bin"));
        Outcome outcome = run(environment(), link.resolve("service").toString(), "version");
        assertThat(outcome.output()).contains(application().toString());
    }

    @Test
    void aFailedBuildShowsItsOutputOnStandardErrorOnly() throws Exception {
        write("mvnw", "echo the compiler is unhappy; exit 3");
        Outcome outcome = service("version");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.output()).isEmpty();
        assertThat(outcome.error()).contains("the compiler is unhappy", "build-cli.log");
    }

    @Test
    void twoFirstUsesBuildOnce() throws Exception {
        write("mvnw", """
                echo built >>builds
                mkdir -p cli/target/app
                sleep 0.3
                echo jar >cli/target/app/service-cli.jar
                """);
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            processes.add(start(environment(), root.resolve("bin/service").toString(), "version"));
        }
        for (Process process : processes) {
            Outcome outcome = finish(process);
            assertThat(outcome.exitCode()).as(outcome.error()).isZero();
            assertThat(outcome.output()).contains("service.cli.ServiceCommand");
        }
        assertThat(Files.readAllLines(root.resolve("builds"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"core/src/main/java/Some.java", "cli/src/main/resources/some.txt", "pom.xml", "cli/pom.xml"})
    void aChangedSourceIsBuiltOnceAndNamed(String changed) throws Exception {
        write("mvnw", COUNTED_BUILD);
        Files.writeString(root.resolve("cli/pom.xml"), "<project/>");
        pretendBuilt();
        assertThat(service("version").error()).isEmpty();
        Path source = root.resolve(changed);
        Files.createDirectories(source.getParent());
        Files.writeString(source, "changed");
        Outcome outcome = service("version");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.error().lines().toList().getFirst())
                .startsWith("Building cli again, because ")
                .endsWith("has changed (about a minute) ...");
        assertThat(outcome.error())
                .containsPattern("Built cli in [0-9]+ s\\.")
                .contains("Making the archives of classes");
        assertThat(outcome.output()).contains("service.cli.ServiceCommand").doesNotContain("Building");
        assertThat(service("version").error()).isEmpty();
        assertThat(Files.readAllLines(root.resolve("builds"))).hasSize(1);
    }

    /** {@code ./mvnw verify} makes no archives of classes, so the first use after it does. */
    @Test
    void archivesThatAreMissingAfterABuildByMavenAreMadeOnce() throws Exception {
        write("mvnw", COUNTED_BUILD);
        pretendBuiltByMaven();
        Outcome first = service("version");
        assertThat(first.exitCode()).isZero();
        assertThat(first.error()).contains("Making the archives of classes");
        assertThat(service("version").error()).isEmpty();
        assertThat(root.resolve("builds")).doesNotExist();
    }

    @Test
    void aRemovedSourceIsNoticed() throws Exception {
        Path source = Files.writeString(root.resolve("core/src/main/java/Some.java"), "class Some {}");
        write("mvnw", COUNTED_BUILD);
        pretendBuilt();
        Files.delete(source);
        assertThat(service("version").error()).contains("because core/src/main/java has changed");
    }

    /** Fixtures are no part of the command line; a test and a script are part of no application. */
    @ParameterizedTest
    @ValueSource(strings = {"fixtures/src/main/java/Some.java", "core/src/test/java/Some.java", "docs/some.md"})
    void aChangeElsewhereIsNotBuilt(String changed) throws Exception {
        write("mvnw", COUNTED_BUILD);
        pretendBuilt();
        Files.createDirectories(root.resolve(changed).getParent());
        Files.writeString(root.resolve(changed), "changed");
        assertThat(service("version").error()).isEmpty();
        assertThat(root.resolve("builds")).doesNotExist();
    }

    @Test
    void aSourceThatChangesDuringTheBuildIsBuiltByTheNextUse() throws Exception {
        write("mvnw", COUNTED_BUILD + "[ -f late ] || { sleep 0.1; echo late >late; cp late core/src/main/java/; }");
        service("version");
        service("version");
        service("version");
        assertThat(Files.readAllLines(root.resolve("builds"))).hasSize(2);
    }

    @Test
    void twoUsesAfterAChangeBuildOnce() throws Exception {
        write("mvnw", COUNTED_BUILD + "sleep 0.3");
        pretendBuilt();
        Files.writeString(root.resolve("core/src/main/java/Some.java"), "changed");
        Process first = start(environment(), root.resolve("bin/service").toString(), "version");
        Process second = start(environment(), root.resolve("bin/service-server").toString());
        assertThat(finish(first).output()).contains("service.cli.ServiceCommand");
        assertThat(finish(second).output()).contains("service.cli.ServerCommand");
        assertThat(Files.readAllLines(root.resolve("builds"))).hasSize(1);
    }

    @Test
    void aMavenBuildUnderWayStartsNoOther() throws Exception {
        write("mvnw", COUNTED_BUILD);
        pretendBuilt();
        Files.writeString(root.resolve("core/src/main/java/Some.java"), "changed");
        Outcome outcome = run(
                Map.of("JAVA_HOME", jdk.toString(), "MAVEN_PROJECTBASEDIR", root.toString()),
                root.resolve("bin/service").toString(),
                "version");
        assertThat(outcome.error()).isEmpty();
        assertThat(root.resolve("builds")).doesNotExist();
    }

    @Test
    void anInstalledTreeIsNeverBuiltAndNeedsNoCompiler() throws Exception {
        Files.delete(root.resolve("pom.xml"));
        Files.delete(jdk.resolve("bin/javac"));
        Files.createDirectory(root.resolve("lib"));
        Files.writeString(root.resolve("lib/service-cli.jar"), "jar");
        Outcome without = service("version");
        assertThat(without.exitCode()).as(without.error()).isZero();
        assertThat(without.error()).isEmpty();
        assertThat(without.output())
                .contains(root.resolve("lib/service-cli.jar").toString())
                .doesNotContain("SharedArchiveFile", "AOTCache");
    }

    /** An AOT cache is of use to Java 25 and later; the other kind of archive fits every Java. */
    @ParameterizedTest
    @CsvSource({
        "25.0.3, aot, -XX:AOTCache=",
        "21.0.1, aot, ''",
        "25.0.3, jsa, -XX:SharedArchiveFile=",
        "21.0.1, jsa, -XX:SharedArchiveFile="
    })
    void theArchiveOfTheJavaIsUsed(String version, String kind, String flag) throws Exception {
        Files.delete(root.resolve("pom.xml"));
        Files.createDirectory(root.resolve("lib"));
        Files.writeString(root.resolve("lib/service-cli.jar"), "jar");
        Path archive = Files.writeString(root.resolve("lib/service-server." + kind), "archive");
        Outcome outcome = run(
                Map.of("JAVA_HOME", fakeJdk("java " + version, version).toString()),
                root.resolve("bin/service-server").toString());
        if (flag.isEmpty()) {
            assertThat(outcome.output()).doesNotContain(archive.toString());
        } else {
            assertThat(outcome.output().lines()).contains(flag + archive);
        }
    }

    @Test
    void anInstallationHoldsTheApplicationAndItsScripts() throws Exception {
        write("mvnw", COUNTED_BUILD);
        Path target = directory.resolve("an installation");
        for (int i = 0; i < 2; i++) {
            Outcome outcome = run(environment(), root.resolve("bin/install").toString(), target.toString());
            assertThat(outcome.exitCode()).as(outcome.error()).isZero();
            assertThat(outcome.error()).contains("Installed in " + target.toRealPath());
        }
        assertThat(run(environment(), target.resolve("bin/service-server").toString(), "--help")
                        .output())
                .contains(target.toRealPath().resolve("lib/service-cli.jar").toString());
        assertThat(run(environment(), root.resolve("bin/install").toString()).exitCode())
                .isEqualTo(2);
        assertThat(Files.readAllLines(root.resolve("builds"))).hasSize(1);
    }

    private Outcome service(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(root.resolve("bin/service").toString()));
        command.addAll(List.of(arguments));
        return run(environment(), command.toArray(String[]::new));
    }

    private Map<String, String> environment() {
        return Map.of("JAVA_HOME", jdk.toString());
    }

    private Path application() {
        return root.resolve("cli/target/app/service-cli.jar");
    }

    /** As after a build by the launcher, which makes the archives behind the application. */
    private void pretendBuilt() throws IOException {
        pretendBuiltByMaven();
        Files.writeString(application().resolveSibling("service-cli.aot.log"), "");
    }

    private void pretendBuiltByMaven() throws IOException {
        Files.createDirectories(application().getParent());
        Files.writeString(application(), "jar");
        // Two files that are written within one tick of the kernel's clock have the same time.
        try (Stream<Path> sources = Files.walk(root)) {
            for (Path source : sources.toList()) {
                Files.setLastModifiedTime(source, FileTime.from(Instant.EPOCH));
            }
        }
        Files.setLastModifiedTime(application(), FileTime.from(Instant.now().minusSeconds(1)));
    }

    /** A JDK of {@code version} whose java prints its arguments, one a line. */
    private Path fakeJdk(String name, String version) throws IOException {
        Path home = directory.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        script(home.resolve("bin/java"), "printf '%s\\n' \"$@\"");
        script(home.resolve("bin/javac"), "");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    private static String pathWith(Path jdk) {
        return jdk.resolve("bin") + ":" + System.getenv("PATH");
    }

    private void write(String name, String body) throws IOException {
        script(root.resolve(name), body);
    }

    private static void script(Path path, String body) throws IOException {
        Files.writeString(path, "#!/bin/sh\n" + body + "\n");
        assertThat(path.toFile().setExecutable(true)).isTrue();
    }

    private Outcome run(Map<String, String> environment, String... command) throws Exception {
        return finish(start(environment, command));
    }

    private Process start(Map<String, String> environment, String... command) throws IOException {
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().remove("MAVEN_PROJECTBASEDIR");
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** The scripts write little: their output fits the pipes while they run. */
    private static Outcome finish(Process process) throws Exception {
        boolean ended = process.waitFor(PROCESS_SECONDS_MAX, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        assertThat(ended).as("ended within %s s", PROCESS_SECONDS_MAX).isTrue();
        return new Outcome(
                process.exitValue(),
                new String(process.getInputStream().readAllBytes(), UTF_8),
                new String(process.getErrorStream().readAllBytes(), UTF_8));
    }

    private record Outcome(int exitCode, String output, String error) {}
}
