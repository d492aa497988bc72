package service.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.cli.boot.ServiceConfig;
import service.http.server.ServiceServer;
import service.projection.query.VectorExecutor;
import service.projection.storage.LmdbGraphStorage;

/** The walls between modules and packages: who may use whom, and why. */
final class ArchitectureTest {
    /** Every class of every production module, whether a jar or a folder holds it. */
    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar")
                    && !location.contains("/test/service/")
                    && !location.contains("/main/service/fixtures/"))
            .importPackages("service");

    private static final Path ROOT = Path.of(System.getProperty("service.root"));

    /** The contract in {@code core} alone holds more. */
    private static final int CLASSES_MIN = 100;

    private static final int COMPONENTS_MAX = 8;

    private static final List<String> MODULES = List.of("core", "log", "projection", "http", "mcp", "cli");

    private static final int LINES_MAX = 450;

    private static final int PARAMETERS_MAX = 6;

    private static final Set<String> PARTS =
            Set.of(LmdbGraphStorage.class.getName(), VectorExecutor.class.getName(), ServiceServer.class.getName());

    /** The constructors of the parts, and the static methods that give them. */
    private static final Set<String> MAKERS = Set.of("<init>", "create", "open", "openForReading", "start");

    private static final DescribedPredicate<JavaAccess<?>> MAKES_A_PART = DescribedPredicate.describe(
            "makes a storage, an executor or a server",
            access -> PARTS.contains(access.getTargetOwner().getFullName()) && MAKERS.contains(access.getName()));

    /** Classes that read or write files; a {@code Path} alone is only a name. */
    private static final DescribedPredicate<JavaClass> FILE_ACCESS = DescribedPredicate.describe(
            "read or write files",
            type -> Set.of(
                                    "java.nio.file.Files",
                                    "java.io.File",
                                    "java.io.FileInputStream",
                                    "java.io.FileOutputStream",
                                    "java.io.FileReader",
                                    "java.io.FileWriter",
                                    "java.io.RandomAccessFile")
                            .contains(type.getName())
                    || (type.getPackageName().equals("java.nio.channels")
                            && type.getSimpleName().contains("File")));

    /** A rule without classes to check would always pass. */
    @ParameterizedTest
    @ValueSource(strings = {"core", "log", "projection", "http", "mcp", "cli"})
    void everyModuleIsSeen(String module) {
        String root = "service." + module;
        assertThat(PRODUCTION.stream().map(type -> type.getPackageName()))
                .as("packages of %s", module)
                .anyMatch(name -> name.equals(root) || name.startsWith(root + "."));
    }

    /** The rules would miss most classes if the import skipped a folder or a jar. */
    @Test
    void theImportIsWhole() {
        assertThat(PRODUCTION.size()).isGreaterThan(CLASSES_MIN);
    }

    /** Only the composition root may use both sides of a port. */
    @Test
    void modulesUseOnlyTheModulesBelowThem() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("core")
                .definedBy("service.core..")
                .optionalLayer("log")
                .definedBy("service.log..")
                .optionalLayer("projection")
                .definedBy("service.projection..")
                .optionalLayer("http")
                .definedBy("service.http..")
                .optionalLayer("mcp")
                .definedBy("service.mcp..")
                .layer("cli")
                .definedBy("service.cli..")
                .whereLayer("core")
                .mayNotAccessAnyLayer()
                .whereLayer("log")
                .mayOnlyAccessLayers("core")
                .whereLayer("projection")
                .mayOnlyAccessLayers("core", "log")
                .whereLayer("http")
                .mayOnlyAccessLayers("core")
                .whereLayer("mcp")
                .mayOnlyAccessLayers("core", "http")
                .whereLayer("cli")
                .mayNotBeAccessedByAnyLayer()
                .because("arrows of the architecture point one way")
                .check(PRODUCTION);
    }

    /** Packages in a cycle cannot be understood one at a time. */
    @Test
    void packagesHaveNoCycles() {
        slices().matching("service.(**)").should().beFreeOfCycles().check(PRODUCTION);
    }

    static Stream<String> packages() {
        return PRODUCTION.stream()
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .map(type -> type.getPackageName())
                // Its sources are beside the others, because only the Maven profile `aws` compiles them.
                .filter(name -> !name.equals("service.cli.aws"))
                .distinct()
                .sorted();
    }

    /** The packages that a package may use, by the lines of {@code docs/architecture.uses}, in their order. */
    private static Map<String, List<String>> uses() throws IOException {
        Map<String, List<String>> uses = new LinkedHashMap<>();
        String text = Files.readString(ROOT.resolve("docs/architecture.uses")).replaceAll("\\n +", " ");
        for (String line : text.lines().filter(each -> each.contains(":")).toList()) {
            if (!line.startsWith("#")) {
                int colon = line.indexOf(':');
                String rest = line.substring(colon + 1).strip();
                uses.put(line.substring(0, colon), rest.isEmpty() ? List.of() : List.of(rest.split(" +")));
            }
        }
        return uses;
    }

    /** A package uses no other packages of its module than those of its line. */
    @ParameterizedTest
    @MethodSource("packages")
    void aPackageUsesWhatItsLineSays(String name) throws IOException {
        String module = name.split("\\.", -1)[1];
        String prefix = "service." + module + ".";
        List<String> listed = uses().get(name.substring("service.".length()));
        assertThat(listed).as("docs/architecture.uses has a line for %s", name).isNotNull();
        List<String> used = PRODUCTION.stream()
                .filter(type -> type.getPackageName().equals(name))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(dependency ->
                        dependency.getTargetClass().getBaseComponentType().getPackageName())
                .filter(other -> other.startsWith(prefix) && !other.equals(name))
                .map(other -> other.substring(prefix.length()))
                .distinct()
                .toList();
        assertThat(used)
                .as("packages that %s uses, against its line of docs/architecture.uses", name)
                .isSubsetOf(listed);
    }

    /** The file can be read from the ground to the top: a line names packages of lines above it, and no others. */
    @Test
    void aLineNamesPackagesAboveIt() throws IOException {
        List<String> packages = packages().toList();
        List<String> above = new ArrayList<>();
        for (Map.Entry<String, List<String>> line : uses().entrySet()) {
            String module = line.getKey().split("\\.", -1)[0];
            assertThat(line.getValue())
                    .as("the line of %s", line.getKey())
                    .isSorted()
                    .allMatch(name -> above.contains(module + "." + name));
            assertThat(packages).contains("service." + line.getKey());
            above.add(line.getKey());
        }
    }

    /** A handler, a check of a caller and a limit can be tested and reused without a listener. */
    @Test
    void onlyServerAndStreamSeeUndertow() {
        noClasses()
                .that()
                .resideInAPackage("service.http..")
                .and()
                .resideOutsideOfPackages("service.http.server", "service.http.stream")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.undertow..", "org.xnio..")
                .check(PRODUCTION);
    }

    /** The core does not depend on storage or HTTP libraries. */
    @Test
    void coreSeesNeitherStorageNorHttp() {
        noClasses()
                .that()
                .resideInAPackage("service.core..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.lmdbjava..", "io.undertow..", "org.xnio..", "picocli..", "org.jline..")
                .check(PRODUCTION);
    }

    /** What a cluster and a request store lies behind a port, so that it can lie in a bucket or on the heap. */
    @Test
    void coreReadsAndWritesFilesOnlyThroughPorts() {
        noClasses()
                .that()
                .resideInAPackage("service.core..")
                .should()
                .dependOnClassesThat(FILE_ACCESS)
                .check(PRODUCTION);
    }

    /** The predicate of the rule above finds a class that reads files. */
    @Test
    void fileAccessIsSeen() {
        assertThat(PRODUCTION.get("service.cli.boot.LocalConfigFiles").getDirectDependenciesFromSelf())
                .anyMatch(dependency -> FILE_ACCESS.test(dependency.getTargetClass()));
    }

    /**
     * Planner and operators read storage through {@code GraphView} alone, so that they run over any other one as well.
     */
    @Test
    void queriesSeeOnlyTheCore() {
        classes()
                .that()
                .resideInAPackage("service.projection.query..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "service.projection.query..",
                        "service.projection.search",
                        "service.core..",
                        "java..",
                        "org.jspecify.annotations..",
                        "com.github.benmanes.caffeine..",
                        "com.google.re2j..")
                .check(PRODUCTION);
    }

    /** Search alone knows Lucene, so that another index could take its place. */
    @Test
    void onlySearchSeesLucene() {
        noClasses()
                .that()
                .resideOutsideOfPackage("service.projection.search..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.lucene..", "org.tartarus.snowball..")
                .check(PRODUCTION);
    }

    /** A route takes a {@code Call} and gives an {@code Answer}; only the server knows how either travels. */
    @Test
    void routesSeeNeitherUndertowNorTheServer() {
        noClasses()
                .that()
                .resideInAPackage("service.http.route..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.undertow..", "org.xnio..", "service.http.server..", "service.http.stream..")
                .check(PRODUCTION);
    }

    /** What the SDK logs and sends is kept under control in one place. */
    @Test
    void onlyTheTransportSeesTheMcpSdk() {
        noClasses()
                .that()
                .resideOutsideOfPackage("service.mcp.transport")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.modelcontextprotocol..", "reactor..")
                .check(PRODUCTION);
    }

    /**
     * One place decides which storage, executor and server belong together; their own packages may make them as well.
     */
    @Test
    void onlyTheCompositionRootConstructs() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "service.cli.boot..",
                        "service.projection.storage..",
                        "service.projection.query..",
                        "service.http.server..")
                .should()
                .accessTargetWhere(MAKES_A_PART)
                .check(PRODUCTION);
    }

    /** The predicate of the rule above finds what the composition root does. */
    @Test
    void theCompositionRootConstructsEveryPart() {
        assertThat(PRODUCTION.stream()
                        .filter(type -> type.getPackageName().startsWith("service.cli.boot"))
                        .flatMap(type -> type.getAccessesFromSelf().stream())
                        .filter(MAKES_A_PART)
                        .map(access -> access.getTargetOwner().getFullName()))
                .containsAll(PARTS);
    }

    /** Each variable is read and checked in one place, with one kind of error. */
    @Test
    void onlyTheConfigurationReadsTheEnvironment() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(ServiceConfig.class)
                .should()
                .callMethodWhere(JavaCall.Predicates.target(
                                HasOwner.Predicates.With.owner(HasName.Predicates.name(System.class.getName())))
                        .and(JavaCall.Predicates.target(HasName.Predicates.name("getenv"))))
                .check(PRODUCTION);
    }

    /** Only the storage uses LMDB, and only http and mcp use Undertow. */
    @Test
    void storageAndHttpDoNotSeeEachOther() {
        noClasses()
                .that()
                .resideInAnyPackage("service.http..", "service.mcp..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.lmdbjava..")
                .allowEmptyShould(true)
                .check(PRODUCTION);
        noClasses()
                .that()
                .resideInAnyPackage("service.log..", "service.projection..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.undertow..", "org.xnio..")
                .allowEmptyShould(true)
                .check(PRODUCTION);
    }

    /** A record with more components holds parts that have a name; that name is another record. */
    @Test
    void recordsHaveFewComponents() {
        assertThat(PRODUCTION.stream().filter(JavaClass::isRecord).filter(type -> components(type) > COMPONENTS_MAX))
                .as("records of more than %s components", COMPONENTS_MAX)
                .isEmpty();
    }

    /** The rule above counts the components of a record that has as many as are allowed. */
    @Test
    void theComponentsOfRecordsAreCounted() {
        assertThat(components(PRODUCTION.get("service.core.schema.EntityType$EdgeType")))
                .isEqualTo(COMPONENTS_MAX);
    }

    /** A record has an instance field for each component, and no others. */
    private static long components(JavaClass record) {
        return record.getFields().stream()
                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                .count();
    }

    /** A file that is longer holds two ideas, or one that hides a second. */
    @Test
    void filesAreShort() throws IOException {
        Path root = Path.of(System.getProperty("service.root"));
        Set<String> longer = new TreeSet<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/main/java"))) {
                for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                    try (Stream<String> lines = Files.lines(file)) {
                        if (lines.count() > LINES_MAX) {
                            longer.add(file.getFileName().toString());
                        }
                    }
                }
            }
        }
        assertThat(longer).as("files of more than %s lines", LINES_MAX).isEmpty();
    }

    /** A class that takes more takes parts that belong together; what they mean is a record. */
    @Test
    void constructorsHaveFewParameters() {
        assertThat(PRODUCTION.stream()
                        .filter(type -> !type.isRecord() && !type.isAnonymousClass())
                        .filter(type -> parameters(type) > PARAMETERS_MAX)
                        .map(JavaClass::getSimpleName))
                .as("classes with a constructor of more than %s parameters", PARAMETERS_MAX)
                .isEmpty();
    }

    /** The rule above counts the parameters that the source has. */
    @Test
    void theParametersOfConstructorsAreCounted() {
        assertThat(parameters(PRODUCTION.get("service.core.schema.Catalog"))).isEqualTo(6);
        assertThat(parameters(PRODUCTION.get("service.core.gq.function.Function")))
                .isEqualTo(1);
    }

    /** The most parameters of a constructor, without those that the compiler adds. */
    private static int parameters(JavaClass type) {
        boolean inner = type.getEnclosingClass().isPresent()
                && !type.getModifiers().contains(JavaModifier.STATIC)
                && !type.isEnum();
        int added = type.isEnum() ? 2 : inner ? 1 : 0;
        return type.getConstructors().stream()
                        .filter(constructor -> !constructor.getModifiers().contains(JavaModifier.SYNTHETIC))
                        .mapToInt(constructor ->
                                constructor.getRawParameterTypes().size())
                        .max()
                        .orElse(0)
                - added;
    }

    /** Fixtures inject faults, so production code must not use them. */
    @Test
    void productionNeverUsesFixtures() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("service.fixtures..")
                .check(PRODUCTION);
    }
}
