package service.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.config.Variable;
import service.core.error.Diagnostic;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.CommitKind;
import service.core.graph.branch.MergeConflict;
import service.core.graph.load.LoadMode;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.Setting;
import service.core.value.EntityKind;
import service.http.auth.token.ProtectedResource;
import service.http.error.ErrorBody;
import service.http.error.ErrorStatus;
import service.http.testkit.OpenApi;

/** {@code openapi.json} says what the route table, the error table and the enums of the code say. */
final class OpenApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final OpenApi DOCUMENT = OpenApi.document();
    private static final JsonNode ROOT = DOCUMENT.root();
    private static final Path REPOSITORY = Path.of(System.getProperty("service.root"));
    private static final Pattern MAKES_A_CLIENT =
            Pattern.compile("newHttpClient\\(|newBuilder\\(\\)\\s*\\.version\\(|GraphHttp\\.plain\\(");
    private static final String SCHEMAS = "#/components/schemas/";
    private static final Set<String> CONDITIONAL_HEADERS = Set.of("If-Match", "If-None-Match", "If-Range", "Range");

    static List<Route> routes() {
        ProtectedResource resource =
                new ProtectedResource("https://graph.example.com", "https://login.example", List.of(), null);
        Route mcp = McpEndpoint.route(resource, call -> Answer.json(json -> {}));
        return RouteTable.standard("test", true, resource).with(mcp).routes().stream()
                .filter(route -> !route.endpoint().path().equals("/openapi.json"))
                .toList();
    }

    private static JsonNode operation(Route route) {
        return ROOT.path("paths")
                .path(route.endpoint().path())
                .path(route.endpoint().method().toLowerCase(Locale.ROOT));
    }

    private static boolean isBlob(Route route) {
        return route.endpoint().path().endsWith("/blob");
    }

    private static boolean isMcp(Route route) {
        return route.endpoint().path().equals(McpEndpoint.PATH);
    }

    /** The names of the parameters of an operation that lie in one place, with those that satisfy a condition. */
    private static Set<String> parameters(Route route, String in, Predicate<JsonNode> condition) {
        Set<String> names = new TreeSet<>();
        for (JsonNode listed : operation(route).path("parameters")) {
            JsonNode parameter = DOCUMENT.resolve(listed);
            if (parameter.path("in").asText().equals(in) && condition.test(parameter)) {
                names.add(parameter.path("name").asText());
            }
        }
        return names;
    }

    @Test
    void pathsAndMethodsAreThoseOfTheRouteTable() {
        Set<String> served = new TreeSet<>();
        for (Route route : routes()) {
            served.add(route.endpoint().method() + " " + route.endpoint().path());
            if (isBlob(route)) {
                served.add("HEAD " + route.endpoint().path());
            }
        }
        Set<String> documented = new TreeSet<>();
        ROOT.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .fieldNames()
                        .forEachRemaining(
                                method -> documented.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        assertThat(documented).isEqualTo(served);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void parametersAreThoseOfTheRoute(Route route) {
        assertThat(parameters(route, "query", parameter -> true))
                .isEqualTo(new TreeSet<>(route.input().parameters()));
        assertThat(parameters(
                        route,
                        "query",
                        parameter -> parameter.at("/schema/type").asText().equals("array")))
                .isEqualTo(new TreeSet<>(route.input().repeatable()));
        Set<String> variables = new TreeSet<>();
        for (String segment : route.endpoint().template()) {
            if (RouteTable.isVariable(segment)) {
                variables.add(segment.substring(1, segment.length() - 1));
            }
        }
        assertThat(parameters(
                        route, "path", parameter -> parameter.path("required").asBoolean()))
                .isEqualTo(variables);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void requestHeadersAreThoseOfTheRoute(Route route) {
        Set<String> expected = new TreeSet<>(Set.of("X-Request-Id"));
        if (route.input().takesKey()) {
            expected.add("Idempotency-Key");
        }
        if (takesCondition(route)) {
            expected.add("Service-If-Graph-Commit");
        }
        if (route.takesMinimumCommit()) {
            expected.add(MinimumCommit.HEADER);
        }
        if (route.input().takesNote()) {
            expected.addAll(Set.of(Notes.MESSAGE_HEADER, Notes.META_HEADER));
        }
        if (isBlob(route)) {
            expected.addAll(CONDITIONAL_HEADERS);
        }
        if (route.endpoint().path().equals("/graphs/{graph_id}/changes")) {
            expected.add("Last-Event-ID");
        }
        if (isMcp(route)) {
            expected.add("MCP-Protocol-Version");
        }
        assertThat(parameters(route, "header", parameter -> true)).isEqualTo(expected);
        assertThat(parameters(
                        route, "header", parameter -> parameter.path("required").asBoolean()))
                .isEqualTo(
                        route.input().condition() == Route.Condition.REQUIRED
                                ? Set.of("Service-If-Graph-Commit")
                                : Set.of());
    }

    @ParameterizedTest
    @MethodSource("routes")
    void bodiesAreThoseOfTheRoute(Route route) {
        JsonNode body = operation(route).path("requestBody");
        BodyRule rule = route.input().body();
        List<String> types = new ArrayList<>();
        body.path("content").fieldNames().forEachRemaining(types::add);
        switch (rule) {
            case NONE -> assertThat(body.isMissingNode()).isTrue();
            case IGNORED -> assertThat(types).containsExactly("*/*");
            case JSON, RECORDS_JSON, LOAD_JSON, OPTIONAL_JSON, OPTIONAL_RECORDS_JSON, MCP_JSON, NDJSON ->
                assertThat(types).containsExactly(rule.mediaType());
        }
        assertThat(body.path("required").asBoolean())
                .isEqualTo(
                        switch (rule) {
                            case JSON, RECORDS_JSON, LOAD_JSON, MCP_JSON, NDJSON -> true;
                            case NONE, IGNORED, OPTIONAL_JSON, OPTIONAL_RECORDS_JSON -> false;
                        });
    }

    @ParameterizedTest
    @MethodSource("routes")
    void mediaTypesAreThoseOfTheRoute(Route route) {
        JsonNode responses = operation(route).path("responses");
        List<String> types = new ArrayList<>();
        for (String status : List.of("200", "201")) {
            DOCUMENT.resolve(responses.path(status))
                    .path("content")
                    .fieldNames()
                    .forEachRemaining(types::add);
        }
        assertThat(types)
                .isEqualTo(
                        route.input().body() == BodyRule.IGNORED
                                ? List.of()
                                : route.answers().stream().map(Media::type).toList());
    }

    /**
     * The statuses that the checks before the handler give follow from the route. The others are listed here; the
     * answers of the HTTP tests are compared with the document, so a missing one is found there.
     */
    @ParameterizedTest
    @MethodSource("routes")
    void statusesAreThoseOfTheRoute(Route route) {
        String path = route.endpoint().path();
        Set<Integer> expected = new TreeSet<>(List.of(400, 403, 406, 413, 500));
        if (!path.equals("/healthz")) {
            expected.add(503);
        }
        if (!route.access().isOpen()) {
            expected.addAll(List.of(401, 429));
        }
        if (route.ofGraph() || path.startsWith(ProtectedResource.PATH) || isMcp(route)) {
            expected.add(404);
        }
        if (isMcp(route)) {
            expected.add(202);
        }
        if (!route.input().body().mediaType().isEmpty()) {
            expected.add(415);
        }
        if (takesCondition(route)) {
            expected.add(412);
        }
        if (route.input().takesKey() || route.writes() || onlyWhereWritten(route)) {
            expected.add(409);
        }
        if (mayBeGone(path) || creates(route)) {
            expected.add(410);
        }
        if (isBlob(route)) {
            expected.addAll(List.of(206, 302, 304, 412, 416));
        }
        if (creates(route)) {
            expected.add(201);
        } else if (route.input().body() != BodyRule.IGNORED) {
            expected.add(200);
        }
        Set<Integer> documented = new TreeSet<>();
        operation(route).path("responses").fieldNames().forEachRemaining(status -> {
            if (!status.equals("default")) {
                documented.add(Integer.parseInt(status));
            }
        });
        assertThat(documented).isEqualTo(expected);
    }

    /** Whether a server that only reads refuses it, though it makes no commit. */
    private static boolean onlyWhereWritten(Route route) {
        return route.input().body() == BodyRule.IGNORED
                || route.endpoint().path().endsWith("/search/rebuild");
    }

    private static boolean takesCondition(Route route) {
        Route.Condition condition = route.input().condition();
        return condition == Route.Condition.REQUIRED || condition == Route.Condition.OPTIONAL;
    }

    /** Whether it makes what its path names, at a state that may be reclaimed. */
    private static boolean creates(Route route) {
        String path = route.endpoint().path();
        return route.endpoint().method().equals("POST") && (path.endsWith("/branches") || path.endsWith("/tags"));
    }

    /** Whether a request may name a state or a change that cleanup has removed. */
    private static boolean mayBeGone(String path) {
        return Stream.of(
                                "query",
                                "queries/",
                                "mutate",
                                "change",
                                "diff",
                                "merge",
                                "read",
                                "export",
                                "snapshot",
                                "catalog",
                                "lint",
                                "history",
                                "blob",
                                "load",
                                "ingest",
                                "revert",
                                "pick",
                                "restore")
                        .anyMatch(part -> path.substring(1).contains("/" + part))
                || path.endsWith("/schema");
    }

    @ParameterizedTest
    @MethodSource("routes")
    void publicAndDeprecatedRoutesAreMarked(Route route) {
        JsonNode operation = operation(route);
        assertThat(operation.has("security")).isEqualTo(route.access().isOpen());
        assertThat(operation.path("security").size()).isZero();
        boolean isDeprecated = route.successor() != null;
        assertThat(operation.path("deprecated").asBoolean()).isEqualTo(isDeprecated);
        for (JsonNode listed : operation.path("responses")) {
            JsonNode headers = DOCUMENT.resolve(listed).path("headers");
            assertThat(headers.has("Deprecation") && headers.has("Link")).isEqualTo(isDeprecated);
            assertThat(headers.has("X-Request-Id") && headers.has("Cache-Control"))
                    .isTrue();
        }
        JsonNode success = DOCUMENT.resolve(operation.at(creates(route) ? "/responses/201" : "/responses/200"));
        assertThat(success.path("headers").has("Idempotent-Replay"))
                .isEqualTo(route.input().takesKey());
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyCodeOfAnErrorIsListedUnderItsStatus(ErrorCode code) {
        Set<String> statuses = new TreeSet<>();
        for (JsonNode error : ROOT.at("/components/schemas/Error/anyOf")) {
            if (codes(DOCUMENT.resolve(error)).contains(code.wireName())) {
                statuses.add(OpenApi.reference(error));
            }
        }
        assertThat(statuses).hasSize(1);
        for (Route route : routes()) {
            operation(route).path("responses").properties().forEach(entry -> {
                JsonNode schema = DOCUMENT.resolve(entry.getValue()).at("/content/application~1json/schema");
                if (statuses.contains(schema.path("$ref").asText())) {
                    assertThat(entry.getKey()).isEqualTo(Integer.toString(ErrorStatus.of(code)));
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyReasonOfACodeIsListed(ErrorCode code) {
        Set<String> expected = new TreeSet<>();
        for (Reason reason : Reason.values()) {
            if (reason.isOf(code)) {
                expected.add(reason.wireName());
            }
        }
        assertThat(Reason.isFor(code)).isEqualTo(!expected.isEmpty());
        for (JsonNode listed : ROOT.at("/components/schemas/Error/anyOf")) {
            JsonNode error = DOCUMENT.resolve(listed);
            if (codes(error).contains(code.wireName())) {
                JsonNode reason = error.at("/properties/reason");
                assertThat(new TreeSet<>(texts(reason.path("enum")))).isEqualTo(expected);
                assertThat(texts(error.path("required")).contains("reason")).isEqualTo(!expected.isEmpty());
                expected.forEach(
                        word -> assertThat(reason.path("description").asText()).contains("`" + word + "`: "));
            }
        }
    }

    private static List<String> codes(JsonNode error) {
        JsonNode code = error.at("/properties/code");
        return code.has("const") ? List.of(code.path("const").asText()) : texts(code.path("enum"));
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    /** A detail is part of the errors of its code and of no other. */
    @ParameterizedTest
    @MethodSource("details")
    void everyDetailOfAnErrorIsListed(ErrorDetail detail) throws IOException {
        for (ErrorCode code : ErrorCode.values()) {
            JsonNode body = JSON.readTree(ErrorBody.render(new ServiceException(code, "m", detail), "r"));
            boolean isListed = DOCUMENT.faults(SCHEMAS + "Error", body).isEmpty();
            assertThat(isListed)
                    .as("%s of %s", detail, code)
                    .isEqualTo(codesOf(detail).contains(code));
        }
    }

    static List<ErrorDetail> details() {
        return List.of(
                new ErrorDetail.Diagnostics(List.of(new Diagnostic("T2", "m", 1, 1, "h", "x\n^"))),
                new ErrorDetail.KeyConflict("node", "T", "i"),
                new ErrorDetail.ConstraintViolation("unique_violation", "node", "T", null),
                new ErrorDetail.PreconditionFailure("a", "b"),
                new ErrorDetail.ResourceLimit("r", 1, 2L),
                new ErrorDetail.BlobRange(7, 4, 5),
                new ErrorDetail.RecoveryRequired("o"),
                new ErrorDetail.ChangeFeedGap("c", "i"),
                new ErrorDetail.MergeConflicts(strings -> "[]", 0, "01M81T08C2DGTN5BGFD72472XT"),
                new ErrorDetail.SchemaRefusal("PG-MF-104", "node", "T", "p", "i", 2),
                new ErrorDetail.Forbidden("read", "g", "b"));
    }

    /** A new detail does not compile until it has a line here; {@link #details} then needs one as well. */
    private static Set<ErrorCode> codesOf(ErrorDetail detail) {
        return switch (detail) {
            case ErrorDetail.Diagnostics ignored -> Set.of(ErrorCode.BAD_REQUEST);
            case ErrorDetail.KeyConflict ignored -> Set.of(ErrorCode.CONFLICT);
            case ErrorDetail.ConstraintViolation ignored -> Set.of(ErrorCode.BAD_REQUEST, ErrorCode.CONFLICT);
            case ErrorDetail.PreconditionFailure ignored -> Set.of(ErrorCode.PRECONDITION_FAILED);
            case ErrorDetail.ResourceLimit ignored -> Set.of(ErrorCode.RESOURCE_LIMIT);
            case ErrorDetail.BlobRange ignored -> Set.of(ErrorCode.RANGE_NOT_SATISFIABLE);
            case ErrorDetail.RecoveryRequired ignored ->
                Set.of(
                        ErrorCode.RECOVERY_REQUIRED,
                        ErrorCode.GRAPH_QUARANTINED,
                        ErrorCode.SHUTTING_DOWN,
                        ErrorCode.STORAGE_FULL,
                        ErrorCode.CONTENDED,
                        ErrorCode.NOT_YET_HERE,
                        ErrorCode.EMBEDDING_UNAVAILABLE,
                        ErrorCode.OVERLOADED);
            case ErrorDetail.ChangeFeedGap ignored -> Set.of(ErrorCode.CHANGE_FEED_GAP, ErrorCode.SNAPSHOT_RECLAIMED);
            case ErrorDetail.MergeConflicts ignored -> Set.of(ErrorCode.CONFLICT);
            case ErrorDetail.SchemaRefusal ignored -> Set.of(ErrorCode.CONFLICT);
            case ErrorDetail.Forbidden ignored -> Set.of(ErrorCode.FORBIDDEN);
        };
    }

    @Test
    void wordsAreThoseOfTheCode() {
        assertWords("EntityKind/enum", EntityKind.values(), EntityKind::wireName);
        assertWords("CommitKind/enum", CommitKind.values(), CommitKind::wireName);
        assertWords("LoadMode/enum", LoadMode.values(), LoadMode::wireName);
        assertWords("MergeConflict/properties/kind/enum", MergeConflict.Kind.values(), MergeConflict.Kind::wireName);
        assertWords("MergeResult/properties/outcome/enum", MergeOutcome.values(), MergeOutcome::wireName);
    }

    private static <E> void assertWords(String place, E[] values, Function<E, String> wireName) {
        assertThat(texts(ROOT.at("/components/schemas/" + place)))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(values).map(wireName).toList());
    }

    @Test
    void settingsHaveTheBoundsOfTheCode() {
        TreeMap<String, String> documented = new TreeMap<>();
        ROOT.at("/components/schemas/Settings/properties").properties().forEach(entry -> {
            JsonNode schema = entry.getValue();
            documented.put(
                    entry.getKey(),
                    schema.has("enum")
                            ? texts(schema.path("enum")).toString()
                            : schema.path("minimum").asLong()
                                    + ".."
                                    + schema.path("maximum").asLong());
        });
        TreeMap<String, String> known = new TreeMap<>();
        for (Setting setting : Setting.values()) {
            if (setting == Setting.COMMIT_GROUP_MICROS || setting == Setting.SEARCH_REFRESH_MS) {
                continue; // settings of the process, which a request may not give
            }
            known.put(
                    setting.settingName(),
                    switch (setting.variable()) {
                        case Variable.WholeNumber number -> number.min() + ".." + number.max();
                        case Variable.Word word -> word.words().toString();
                        case Variable.Flag flag -> flag.allowed();
                        case Variable.Text text -> text.toString();
                    });
        }
        assertThat(documented).isEqualTo(known);
    }

    @Test
    void everyExampleIsValid() {
        List<String> faults = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        ROOT.at("/components/schemas").properties().forEach(entry -> {
            JsonNode examples = entry.getValue().path("examples");
            if (examples.isEmpty()) {
                missing.add(entry.getKey());
            }
            examples.forEach(example -> faults.addAll(DOCUMENT.faults(SCHEMAS + entry.getKey(), example)));
        });
        collectMedia(ROOT, faults, missing);
        assertThat(missing).isEmpty();
        assertThat(faults).isEmpty();
    }

    /** Visits each {@code content} and each parameter. */
    private static void collectMedia(JsonNode node, List<String> faults, List<String> missing) {
        for (JsonNode media : node.path("content")) {
            JsonNode schema = media.path("schema");
            if (!media.has("example")) {
                missing.add(media.toString());
            } else if (schema.has("$ref")) {
                faults.addAll(DOCUMENT.faults(OpenApi.reference(schema), media.path("example")));
            }
        }
        if (node.has("in") && node.has("schema") && !node.has("example")) {
            missing.add(node.toString());
        }
        // An example may have a member `content` as well, as results of MCP do.
        node.properties().stream()
                .filter(entry -> !entry.getKey().startsWith("example"))
                .forEach(entry -> collectMedia(entry.getValue(), faults, missing));
        if (node.isArray()) {
            node.forEach(child -> collectMedia(child, faults, missing));
        }
    }

    @Test
    void theServedDocumentDiffersInServersAndSecurityAlone() throws IOException {
        String resource = new String(OpenApiDocument.resource(), StandardCharsets.UTF_8);
        String served = new String(OpenApiDocument.served(true), StandardCharsets.UTF_8);
        int servers = resource.indexOf("\"servers\": ") + "\"servers\": ".length();
        int rest = resource.indexOf("\n  \"security\"");
        assertThat(served).startsWith(resource.substring(0, servers)).endsWith(resource.substring(rest));
        assertThat(JSON.readTree(served).at("/servers/0/url").asText()).isEqualTo("/");

        ObjectNode expected = (ObjectNode) JSON.readTree(served);
        expected.remove("security");
        expected.withObject("/components").remove("securitySchemes");
        expected.path("paths").forEach(item -> item.forEach(operation -> ((ObjectNode) operation).remove("security")));
        assertThat(JSON.readTree(OpenApiDocument.served(false))).isEqualTo(expected);
    }

    /** A test with its own client would receive answers that are not compared with the document. */
    @Test
    void allTestsReceiveAnswersThroughTheCheckedClient() throws IOException {
        List<String> others = new ArrayList<>();
        for (String module : List.of("http", "mcp", "fixtures")) {
            Path tests = REPOSITORY.resolve(module).resolve("src/test/java");
            if (Files.exists(tests)) {
                try (Stream<Path> files = Files.walk(tests)) {
                    for (Path file : files.filter(Files::isRegularFile).toList()) {
                        if (MAKES_A_CLIENT.matcher(Files.readString(file)).find()) {
                            others.add(file.getFileName().toString());
                        }
                    }
                }
            }
        }
        assertThat(others).containsExactly("CheckedHttpClient.java");
    }
}
