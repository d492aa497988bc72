package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.schema.migrate.MigrationStep;
import service.core.schema.migrate.MigrationStep.Action;

/** How a step of each kind is printed, by {@code schema plan} and {@code cluster plan} alike. */
final class SchemaStepsTest {
    record Case(MigrationStep step, String line) {
        static Case of(Action action, String property, String before, String after, String line) {
            return new Case(
                    new MigrationStep(action, "node", "Person", text(property), text(before), text(after)), line);
        }

        private static String text(String text) {
            return text.isEmpty() ? null : text;
        }
    }

    static Case[] cases() {
        return new Case[] {
            Case.of(Action.ADD_TYPE, "", "", "", "+ node Person"),
            Case.of(Action.RENAME_TYPE, "", "Human", "", "~ node Person (was Human)"),
            Case.of(Action.DROP_TYPE, "", "", "", "- node Person"),
            Case.of(Action.ADD_PROPERTY, "born", "", "Date?", "+ property Person.born: Date?"),
            Case.of(Action.RENAME_PROPERTY, "born", "birth", "", "~ property Person.born (was birth)"),
            Case.of(Action.DROP_PROPERTY, "born", "Date?", "", "- property Person.born: Date?"),
            Case.of(
                    Action.EXTEND_ENUM,
                    "mood",
                    "enum(a)",
                    "enum(a, b)",
                    "~ property Person.mood: enum(a) -> enum(a, b)"),
            Case.of(Action.ADD_CONSTRAINT, "", "", "@index(born)", "+ node Person @index(born)"),
            Case.of(Action.DROP_CONSTRAINT, "born", "required", "", "- property Person.born required"),
            Case.of(
                    Action.UPDATE_ANNOTATIONS,
                    "born",
                    "",
                    "@default(1)",
                    "~ property Person.born: nothing -> @default(1)"),
            Case.of(
                    Action.UPDATE_ANNOTATIONS,
                    "born",
                    "@default(1)",
                    "",
                    "~ property Person.born: @default(1) -> nothing"),
            Case.of(Action.RELAX_NULLABILITY, "born", "Date", "Date?", "~ property Person.born: Date -> Date?"),
            Case.of(Action.UNSUPPORTED, "born", "Date", "I64", "! property Person.born: Date -> I64"),
        };
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aStepIsOneLine(Case expected) {
        assertThat(SchemaSteps.line(expected.step().toJson())).isEqualTo(expected.line());
    }
}
