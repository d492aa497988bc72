package service.core.gq.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.Image;
import service.core.gq.Catalogs;
import service.core.gq.CompiledSource;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.text.Work;
import service.core.value.PropertyRow;
import service.core.value.Value;

class EvaluatorTest {
    private static final EntityRow ADA = new EntityRow(
            Catalogs.PERSON,
            "Person",
            "ada",
            Image.ofNode(PropertyRow.of(Map.of(
                    Catalogs.NAME,
                    new Value.Text("ada"),
                    Catalogs.AGE,
                    new Value.Int(36),
                    12,
                    new Value.Date(-56_270),
                    14,
                    new Value.ListOf(List.of(new Value.Text("x"), new Value.Text("y"))),
                    17,
                    new Value.Real(2.5),
                    18,
                    new Value.UInt(-1)))));

    private static Plan.Statement.Update compile(String set, String where) {
        CompiledSource compiled = GqCompiler.compile(
                "query q($n: I64, $s: String) { update Person set { " + set + " } where " + where + " }",
                null,
                Catalogs.people());
        Plan.Mutation plan = (Plan.Mutation) ((CompiledSource.Request.Query) compiled.request()).plan();
        return (Plan.Statement.Update) plan.statements().getFirst();
    }

    private static Value where(String condition) {
        Evaluator evaluator = new Evaluator(
                List.of(new Value.Int(36), new Value.Text("a.a")), 1_700_000_000_123_456L, Work.UNCOUNTED);
        return evaluator.evaluate(compile("age: 1", condition).predicate(), ADA);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "age = $n | true",
                "age = 36.0 | true",
                "age < 36.5 and age > 35.5 | true",
                "big = 18446744073709551615 | true",
                "big > 9007199254740993 | true",
                "mood = \"sad\" | null",
                "not mood = \"sad\" | null",
                "mood = \"sad\" or age = 36 | true",
                "mood = \"sad\" and age = 1 | false",
                "mood is null and age is not null | true",
                "name matches $s | true",
                "name starts_with \"ad\" and name ends_with \"da\" and name contains \"d\" | true",
                "name matches \"^da\" | false",
                "tags contains \"x\" | true",
                "tags contains \"z\" | false",
                "age in [1, 36.0] | true",
                "age in [1, null] | null",
                "age not in [1, 2] | true",
                "mood in [] | false",
                "born = date(\"1815-12-10\") | true",
                "year(born) = 1815 and month(born) = 12 and day(born) = 10 | true",
                "date_diff(date(\"1815-12-13\"), born) = 3 and date_diff(born, date(\"1815-12-13\")) = -3 | true",
                "date_diff(date(\"2024-03-01\"), datetime(\"2024-02-28T23:59:59Z\")) = 2 | true",
                "datetime_diff(datetime(\"1815-12-10T00:00:01.5Z\"), born) = 1500 | true",
                "date_diff(seen, born) = 1 | null",
                "datetime_diff(born, seen) is null and truncate(seen, \"day\") is null | true",
                "truncate(born, \"day\") = born and truncate(born, \"week\") = date(\"1815-12-04\") | true",
                "truncate(born, \"year\") = date(\"1815-01-01\") | true",
                "truncate(born, \"quarter\") = date(\"1815-10-01\") | true",
                "truncate(datetime(\"1969-12-31T23:59:59.9Z\"), \"month\") = datetime(\"1969-12-01T00:00:00Z\") | true",
                "truncate(datetime(\"1969-12-31T23:59:59.9Z\"), \"hour\") = datetime(\"1969-12-31T23:00:00Z\") | true",
                "truncate(datetime(\"1969-12-31T23:59:59.9Z\"), \"second\") = datetime(\"1969-12-31T23:59:59Z\") | true",
                "datetime(born) < seen | null",
                "now() = datetime(\"2023-11-14T22:13:20.123Z\") | true",
                "coalesce(mood, \"calm\") = \"calm\" | true",
                "coalesce(active, true) | true",
                "length(name) = 3 and length(tags) = 2 | true",
                "upper(name) = \"ADA\" and lower(upper(name)) = name | true",
                "abs(0 - age) = 36 and round(weight) = 3 and round(-weight) = -3 | true",
                "7 / 2 = 3 and -7 / 2 = -3 and -7 % 2 = -1 and 7 / 2.0 = 3.5 | true",
                "@id = \"ada\" and @type = \"Person\" | true",
            })
    void conditions(String condition, String expected) {
        Value wanted = expected.equals("null") ? Value.NULL : new Value.Bool(Boolean.parseBoolean(expected));
        assertThat(where(condition)).isEqualTo(wanted);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "age / (age - 36) = 1 | division by zero in `age / (age - 36)` for Person `ada`",
                "age + 9223372036854775807 > 1 | overflow of 64-bit arithmetic in `age + 9223372036854775807` for Person"
                        + " `ada`: 9223372036854775843 does not fit I64",
                "big + 1 > 1 | overflow of 64-bit arithmetic in `big + 1` for Person `ada`: 18446744073709551616"
                        + " fits neither I64 nor U64",
                "weight * 1e308 > 1 | overflow of floating-point arithmetic in `weight * 1e308` for Person `ada`",
                "date(name) = born | `ada` is not a date in `date(name)` for Person `ada`: a date is written"
                        + " YYYY-MM-DD",
                "truncate(born, name) = born | `ada` is not a unit; units are year, quarter, month, week, day, hour,"
                        + " minute, second in `truncate(born, name)` for Person `ada`",
                "sqrt(weight - 9e9) > 1 | no real result in `sqrt(weight - 9e9)` for Person `ada`: it is not a number",
                "exp(weight * 1000.0) > 1 | no real result in `exp(weight * 1000.0)` for Person `ada`: it is infinite",
                "truncate(date(\"0000-01-01\"), \"week\") = born | the week begins before the year 0000 in"
                        + " `truncate(date(\"0000-01-01\"), \"week\")` for Person `ada`",
            })
    void faultsNameTheEntityAndThePlace(String condition, String message) {
        assertThatThrownBy(() -> where(condition)).isInstanceOfSatisfying(ServiceException.class, e -> {
            ErrorDetail.Diagnostics detail = (ErrorDetail.Diagnostics) e.detail();
            assertThat(detail.diagnostics().getFirst().message()).isEqualTo(message);
            assertThat(detail.diagnostics().getFirst().code()).isEqualTo("R1");
            assertThat(detail.diagnostics().getFirst().line()).isEqualTo(1);
        });
    }

    @Test
    void aFaultShowsItsPlaceInTheSource() {
        assertThatThrownBy(() -> where("age / (age - 36) = 1"))
                .hasMessageMatching("(?s)R1 at 1:[0-9]+: division by zero in `age / \\(age - 36\\)` for Person `ada`\n"
                        + "  query .* where age / \\(age - 36\\) = 1 .*\n +\\^");
    }

    @Test
    void assignmentsSeeTheOldValues() {
        Plan.Statement.Update update = compile("age: age + 1, weight: age * 2, mood: null", "true");
        Evaluator evaluator = new Evaluator(List.of(), 0, Work.UNCOUNTED);
        assertThat(evaluator.evaluate(update.assignments().get(0).value(), ADA)).isEqualTo(new Value.Int(37));
        assertThat(evaluator.evaluate(update.assignments().get(1).value(), ADA)).isEqualTo(new Value.Int(72));
        assertThat(evaluator.evaluate(update.assignments().get(2).value(), ADA)).isEqualTo(Value.NULL);
    }
}
