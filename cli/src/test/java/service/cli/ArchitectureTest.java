package service.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The walls between modules and packages: who may use whom, and why. */
final class ArchitectureTest {
    /** Every class of every production module, whether a jar or a folder holds it. */
    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("service");

    /** The contract in {@code core} alone holds more. */
    private static final int CLASSES_MIN = 100;

    /** A rule that sees no classes forbids nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"core", "log", "projection", "http", "mcp", "cli"})
    void everyModuleIsSeen(String module) {
        String root = "service." + module;
        assertThat(PRODUCTION.stream().map(type -> type.getPackageName()))
                .as("packages of %s", module)
                .anyMatch(name -> name.equals(root) || name.startsWith(root + "."));
    }

    /** A folder or jar that the import passed over would hide most of what the rules are about. */
    @Test
    void theImportIsWhole() {
        assertThat(PRODUCTION.size()).isGreaterThan(CLASSES_MIN);
    }

    /** Wiring is the composition root's: nobody else may know two sides of a port. */
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

    /** A cycle is one package under several names. */
    @Test
    void packagesHaveNoCycles() {
        slices().matching("service.(**)").should().beFreeOfCycles().check(PRODUCTION);
    }

    /** The core decides; where bytes lie and who asked is not its business. */
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

    /** LMDB is the storage's secret, HTTP that of its faces. */
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

    /** Fixtures may break, lie and be slow. */
    @Test
    void productionNeverUsesFixtures() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("service.fixtures..")
                .check(PRODUCTION);
    }
}
