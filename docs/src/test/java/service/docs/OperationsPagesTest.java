package service.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.log.lmdb.LmdbOptions;

/**
 * The pages and files of {@code docs/operations}: names of variables, routes, files and links exist, and times and
 * figures fit the program. {@code InstalledServerTest} runs the steps of the container file.
 */
final class OperationsPagesTest {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final Path PAGES = ROOT.resolve("docs/operations");
    private static final Path DEPLOY = PAGES.resolve("deploy");
    private static final Pattern VARIABLE = Pattern.compile("\\bSERVICE_[A-Z0-9_]+\\b");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
    private static final Set<String> OF_TESTS = Set.of("SERVICE_KEEP_DIRECTORY");

    /** Names that a server prints before its addresses. */
    private static final Set<String> PRINTED = Set.of("SERVICE_LISTEN_ADDR", "SERVICE_METRICS_ADDR");

    /** Seconds for which a stopping server waits for requests that still run after the drain. */
    private static final int RUNNING_SECONDS = 10;

    private static final long DRAIN_SECONDS = Limits.DEFAULTS.get(Limit.DRAIN_TIMEOUT_SECONDS);

    static Stream<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(PAGES)) {
            return files.filter(Files::isRegularFile).toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyNamedVariableAndLinkExists(Path file) throws IOException {
        String text = Files.readString(file);
        String known = Files.readString(ROOT.resolve("docs/limits.md"));
        assertThat(VARIABLE.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet()))
                .allSatisfy(name -> assertThat(known.contains("| `" + name + "` |")
                                || OF_TESTS.contains(name)
                                || PRINTED.contains(name))
                        .as("%s names %s, which docs/limits.md does not have", file, name)
                        .isTrue());
        assertThat(LINK.matcher(text).results().map(found -> found.group(1)))
                .allSatisfy(target -> assertThat(file.resolveSibling(target)).exists());
    }

    @Test
    void theFiguresOfTheTuningPageAreThoseOfTheProgram() throws IOException {
        assertThat(Files.readString(PAGES.resolve("tuning.md")).replaceAll("\\s+", " "))
                .contains("%d GiB each at first".formatted(LmdbOptions.MAP_BYTES_DEFAULT >> 30))
                .contains("up to %d TiB".formatted(LmdbOptions.MAP_BYTES_MAX_DEFAULT >> 40))
                .contains("at most %d seconds".formatted(LmdbOptions.READERS_WAIT_DEFAULT.toSeconds()))
                .contains(String.format(Locale.ROOT, "%,d slots for each", LmdbOptions.READERS_MAX_DEFAULT))
                .contains("`SERVICE_MAX_INFLIGHT`, %d".formatted(Limits.DEFAULTS.get(Limit.MAX_INFLIGHT)))
                .contains("`SERVICE_MAX_STREAMS`, %d".formatted(Limits.DEFAULTS.get(Limit.MAX_STREAMS)));
        assertThat(Files.readString(PAGES.resolve("deploy.md")).replaceAll("\\s+", " "))
                .contains("`SERVICE_DRAIN_TIMEOUT_SECONDS` (%d)".formatted(DRAIN_SECONDS));
    }

    @Test
    void theUnitStartsTheInstalledServerAndGrantsTheTimeOfADrain() throws IOException {
        List<String> unit = Files.readAllLines(DEPLOY.resolve("service.service"));
        assertThat(unit).contains("ExecStart=/opt/service/bin/service-server", "KillSignal=SIGTERM", "User=service");
        assertThat(ROOT.resolve("bin/service-server")).isExecutable();
        assertThat(Long.parseLong(value(unit, "TimeoutStopSec="))).isGreaterThan(DRAIN_SECONDS + RUNNING_SECONDS);
        assertThat(Long.parseLong(value(unit, "LimitNOFILE="))).isGreaterThan(10_000);
        assertThat(unit).noneMatch(line -> line.startsWith("MemoryDenyWriteExecute") || line.startsWith("LimitAS"));
        assertThat(unit.stream().filter(line -> !line.isEmpty() && !line.startsWith("#")))
                .allMatch(line -> line.matches("\\[[A-Z][a-z]+]|[A-Z][A-Za-z]+=.*"));
    }

    /** Where systemd is installed, it reads the unit itself; the paths are those of this repository. */
    @Test
    void systemdAcceptsTheUnit(@TempDir Path folder) throws Exception {
        Path program = Path.of("/usr/bin/systemd-analyze");
        String unit = Files.readString(DEPLOY.resolve("service.service"))
                .replace("/opt/service/bin/", ROOT.resolve("bin") + "/");
        Path copy = Files.writeString(folder.resolve("service.service"), unit);
        List<String> command = Files.isExecutable(program)
                ? List.of(program.toString(), "verify", "--recursive-errors=no", copy.toString())
                : List.of("grep", "-q", "^ExecStart=" + ROOT.resolve("bin/service-server") + "$", copy.toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        assertThat(printed).doesNotContain("service.service:");
    }

    @Test
    void theContainerRunsAsAnotherUserThanRoot() throws IOException {
        List<String> lines = Files.readAllLines(DEPLOY.resolve("Containerfile"));
        assertThat(lines.stream().filter(line -> line.startsWith("FROM "))).containsExactly("FROM ${BASE}");
        String user = lines.stream()
                .filter(line -> line.startsWith("USER "))
                .reduce((first, last) -> last)
                .orElseThrow();
        assertThat(user).matches("USER [1-9][0-9]*:[1-9][0-9]*");
        assertThat(lines.indexOf(user))
                .isGreaterThan(lines.indexOf(lines.stream()
                        .filter(line -> line.startsWith("RUN "))
                        .findFirst()
                        .orElseThrow()));
    }

    @Test
    void theManifestHasOneConfinedWriterWithProbesThatExist() throws IOException {
        JsonNode set = null;
        for (Object document : new Yaml(new SafeConstructor(new LoaderOptions()))
                .loadAll(Files.readString(DEPLOY.resolve("kubernetes.yaml")))) {
            JsonNode node = new ObjectMapper().valueToTree(document);
            assertThat(node.path("apiVersion").asText()).isNotEmpty();
            set = node.path("kind").asText().equals("StatefulSet") ? node : set;
        }
        assertThat(set).isNotNull();
        JsonNode spec = set.path("spec");
        assertThat(spec.path("replicas").asInt()).isOne();
        assertThat(spec.path("volumeClaimTemplates")).hasSize(1);
        JsonNode pod = spec.at("/template/spec");
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        JsonNode server = pod.at("/containers/0");
        long drain = DRAIN_SECONDS;
        List<String> environment = new ArrayList<>();
        for (JsonNode variable : server.path("env")) {
            environment.add(variable.path("name").asText());
            if (variable.path("name").asText().equals("SERVICE_DRAIN_TIMEOUT_SECONDS")) {
                drain = variable.path("value").asLong();
            }
        }
        assertThat(environment).contains("SERVICE_CLUSTER", "SERVICE_BIND");
        assertThat(pod.path("terminationGracePeriodSeconds").asLong()).isGreaterThan(drain + RUNNING_SECONDS);
        JsonNode reader = pod.at("/containers/1");
        assertThat(reader.path("env").toString()).contains("SERVICE_READ_ONLY");
        assertThat(pod.path("shareProcessNamespace").asBoolean()).isTrue();
        for (JsonNode container : List.of(server, reader, pod.at("/initContainers/0"))) {
            assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                    .isTrue();
            assertThat(container.path("image").asText()).doesNotContain("/", ":");
        }
        JsonNode routes = new ObjectMapper()
                .readTree(ROOT.resolve("http/src/main/resources/openapi.json").toFile())
                .path("paths");
        for (String probe : List.of("livenessProbe", "startupProbe", "readinessProbe")) {
            for (JsonNode container : List.of(server, reader)) {
                String path = container.at("/" + probe + "/httpGet/path").asText();
                assertThat(path).isEqualTo(probe.startsWith("readiness") ? "/readyz" : "/healthz");
                assertThat(routes.has(path)).as(path).isTrue();
            }
        }
    }

    @Test
    void theServersThatScaleOutAreEqualAndConfined() throws IOException {
        Map<String, JsonNode> objects = new HashMap<>();
        for (Object document : new Yaml(new SafeConstructor(new LoaderOptions()))
                .loadAll(Files.readString(DEPLOY.resolve("kubernetes-scale-out.yaml")))) {
            JsonNode node = new ObjectMapper().valueToTree(document);
            objects.put(node.path("kind").asText(), node);
        }
        assertThat(objects).containsOnlyKeys("Service", "Deployment", "HorizontalPodAutoscaler");
        JsonNode deployment = Objects.requireNonNull(objects.get("Deployment"));
        assertThat(deployment.at("/spec").has("replicas")).isFalse();
        assertThat(deployment.at("/spec/selector/matchLabels"))
                .isEqualTo(Objects.requireNonNull(objects.get("Service")).at("/spec/selector"))
                .isEqualTo(deployment.at("/spec/template/metadata/labels"));
        JsonNode target =
                Objects.requireNonNull(objects.get("HorizontalPodAutoscaler")).at("/spec/scaleTargetRef");
        assertThat(target.path("kind").asText()).isEqualTo("Deployment");
        assertThat(target.path("name")).isEqualTo(deployment.at("/metadata/name"));
        JsonNode pod = deployment.at("/spec/template/spec");
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        assertThat(pod.path("enableServiceLinks").asBoolean(true)).isFalse();
        JsonNode server = pod.at("/containers/0");
        assertThat(server.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
        assertThat(server.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/readyz");
        List<String> volumes = new ArrayList<>();
        pod.path("volumes").forEach(volume -> volumes.add(volume.path("name").asText()));
        server.path("volumeMounts")
                .forEach(
                        mount -> assertThat(volumes).contains(mount.path("name").asText()));
    }

    private static String value(List<String> unit, String key) {
        return unit.stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()))
                .findFirst()
                .orElseThrow();
    }
}
