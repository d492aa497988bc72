package service.core.gq.function;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import service.core.gq.Catalogs;
import service.core.gq.CompiledSource;
import service.core.gq.GqCompiler;
import service.core.gq.eval.Evaluator;
import service.core.gq.plan.Plan;
import service.core.text.Work;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Calls of every function, and what they give. {@code EvaluatorTest} has the calls that fail. */
final class FunctionTest {
    /** A call, and another expression that is equal to it. */
    static final List<String> CALLS = List.of(
            "now() = datetime(\"2023-11-14T22:13:20.123Z\")",
            "lower(\"ÄbC\") = \"äbc\"",
            "upper(\"äbC\") = \"ÄBC\"",
            "length(\"a😀\") = 2",
            "length([]) = 0",
            "coalesce(null, 2, 3) = 2",
            "abs(-3) = 3",
            "abs(-2.5) = 2.5",
            "abs(18446744073709551615) = 18446744073709551615",
            "round(2.5) = 3.0",
            "round(-2.5) = -3.0",
            "round(7) = 7",
            "date(datetime(\"1969-12-31T23:59:59Z\")) = date(\"1969-12-31\")",
            "datetime(date(\"1969-12-31\")) = datetime(\"1969-12-31T00:00:00Z\")",
            "year(date(\"1969-12-31\")) = 1969",
            "month(datetime(\"1969-12-31T23:00:00-02:00\")) = 1",
            "day(date(\"1969-12-31\")) = 31",
            "date_diff(date(\"1970-01-03\"), datetime(\"1969-12-31T23:00:00Z\")) = 3",
            "datetime_diff(date(\"1970-01-01\"), datetime(\"1969-12-31T23:59:59.999Z\")) = 1",
            "truncate(date(\"1970-05-20\"), \"quarter\") = date(\"1970-04-01\")",
            "truncate(datetime(\"1970-05-20T11:12:13Z\"), \"hour\") = datetime(\"1970-05-20T11:00:00Z\")",
            "trim(\" \\ta b \\n\") = \"a b\"",
            "left(\"a😀bc\", 2) = \"a😀\"",
            "left(\"ab\", -1) = \"\"",
            "left(\"ab\", 18446744073709551615) = \"ab\"",
            "right(\"a😀bc\", 3) = \"😀bc\"",
            "right(\"ab\", 9) = \"ab\"",
            "substring(\"a😀bc\", 1) = \"😀bc\"",
            "substring(\"a😀bc\", 1, 2) = \"😀b\"",
            "substring(\"abc\", -5, 2) = \"ab\"",
            "substring(\"abc\", 7, 2) = \"\"",
            "index_of(\"a😀bc\", \"b\") = 2",
            "index_of(\"abc\", \"x\") = -1",
            "index_of(\"abc\", \"\") = 0",
            "replace(\"aabaa\", \"aa\", \"c\") = \"cbc\"",
            "replace(\"abc\", \"\", \"x\") = \"abc\"",
            "split(\"a,b,,\", \",\") = [\"a\", \"b\", \"\", \"\"]",
            "split(\"a😀b\", \"\") = [\"a\", \"😀\", \"b\"]",
            "split(\"\", \",\") = [\"\"]",
            "split(\"\", \"\") = []",
            "join([\"a\", null, \"b\"], \", \") = \"a, b\"",
            "join([1, 2], \"-\") = \"1-2\"",
            "join([], \"-\") = \"\"",
            "reverse(\"a😀b\") = \"b😀a\"",
            "reverse([1, 2, 3]) = [3, 2, 1]",
            "to_string(1.0) = \"1.0\"",
            "to_string(18446744073709551615) = \"18446744073709551615\"",
            "to_string(date(\"1969-12-31\")) = \"1969-12-31\"",
            "to_string(true) = \"true\"",
            "floor(-2.5) = -3.0",
            "floor(7) = 7",
            "ceil(2.1) = 3.0",
            "ceil(18446744073709551615) = 18446744073709551615",
            "sqrt(9) = 3.0",
            "power(2, 10) = 1024.0",
            "power(2, -1) = 0.5",
            "exp(0) = 1.0",
            "ln(1) = 0.0",
            "log10(1000) = 3.0",
            "sign(-2.5) = -1",
            "sign(18446744073709551615) = 1",
            "sign(0.0) = 0",
            "greatest(1, 2.5, 2) = 2.5",
            "greatest(\"a\", \"b\") = \"b\"",
            "least(date(\"1969-12-31\"), date(\"1970-01-01\")) = date(\"1969-12-31\")",
            "least(3, 1, 2) = 1",
            "to_int(3.9) = 3",
            "to_int(-3.9) = -3",
            "to_int(\"-42\") = -42",
            "coalesce(to_int(\"3.9\"), -1) = -1",
            "coalesce(to_int(\" 42 \"), -1) = -1",
            "coalesce(to_int(\"9223372036854775808\"), -1) = -1",
            "coalesce(to_int(18446744073709551615), -1) = -1",
            "coalesce(to_int(1e300), -1) = -1",
            "to_float(\"-1.5e3\") = -1500.0",
            "to_float(3) = 3.0",
            "coalesce(to_float(\"1e999\"), -1.0) = -1.0",
            "coalesce(to_float(\"NaN\"), -1.0) = -1.0",
            "hour(datetime(\"1969-12-31T23:58:57.5Z\")) = 23",
            "minute(datetime(\"1969-12-31T23:58:57.5Z\")) = 58",
            "second(datetime(\"1969-12-31T23:58:57.5Z\")) = 57",
            "weekday(date(\"1970-01-01\")) = 4",
            "week(date(\"1970-12-31\")) = 53",
            "quarter(datetime(\"1970-04-01T00:00:00Z\")) = 2",
            "to_date(\"1970-01-02\") = date(\"1970-01-02\")",
            "coalesce(to_date(\"1970-02-30\"), date(\"1970-01-01\")) = date(\"1970-01-01\")",
            "to_datetime(date(\"1970-01-02\")) = datetime(\"1970-01-02T00:00:00Z\")",
            "coalesce(to_datetime(\"noon\"), datetime(\"1970-01-01T00:00:00Z\"))"
                    + " = datetime(\"1970-01-01T00:00:00Z\")",
            "date_add(date(\"2024-01-31\"), 1, \"month\") = date(\"2024-02-29\")",
            "date_add(date(\"2024-01-31\"), -2, \"quarter\") = date(\"2023-07-31\")",
            "datetime_add(date(\"2024-02-29\"), 1, \"year\") = datetime(\"2025-02-28T00:00:00Z\")",
            "datetime_add(datetime(\"2024-01-01T00:00:00Z\"), -1, \"millisecond\")"
                    + " = datetime(\"2023-12-31T23:59:59.999Z\")",
            "format(date(\"2024-03-05\"), \"yyyy-MM\") = \"2024-03\"",
            "format(datetime(\"2024-03-05T17:04:00Z\"), \"EEE d MMM, HH:mm\") = \"Tue 5 Mar, 17:04\"",
            "range(1, 3) = [1, 2, 3]",
            "range(3, -2, -2) = [3, 1, -1]",
            "range(2, 1) = []",
            "sort([2, 1, 2.5]) = [1, 2, 2.5]",
            "sort([\"b\", null])[1] = \"b\"",
            "unique([2, 1, 2.0, 1]) = [2, 1]",
            "unique(range(1, 3)) || [7] = [1, 2, 3, 7]",
            "length([$x in range(1, 9) where $x % 2 = 0 | $x * $x]) = 4",
            "range(1, 9)[-1] = 9",
            "range(1, 9)[7..99] = [8, 9]",
            "coalesce(range(1, 9)[9], 0) = 0",
            "left(case when true then \"a\" else left(\"b\", 1 / 0) end || \"b\", 5) = \"ab\"");

    @ParameterizedTest
    @FieldSource("CALLS")
    void aCallGives(String equality) {
        CompiledSource compiled = GqCompiler.compile(
                "query q() { update Person set { age: 1 } where " + equality + " }", null, Catalogs.people());
        Plan.Mutation plan = (Plan.Mutation) ((CompiledSource.Request.Query) compiled.request()).plan();
        Plan.Statement.Update update = (Plan.Statement.Update) plan.statements().getFirst();
        Evaluator evaluator = new Evaluator(List.of(), 1_700_000_000_123_456L, Work.UNCOUNTED);
        assertThat(evaluator.evaluate(update.predicate(), null)).isEqualTo(new Value.Bool(true));
    }

    /** Who adds a function adds calls of it. */
    @Test
    void everyFunctionIsCalled() {
        assertThat(CALLS.stream().map(call -> call.substring(0, call.indexOf('('))))
                .containsAll(Function.words().stream()
                        .filter(word -> !List.of("cost", "nodes", "edges").contains(word))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource
    void aNullArgumentMakesTheResultNull(Function function) throws ValueFault {
        int arguments = function.signature() instanceof Signature.Each each
                ? each.parameters().size()
                : 2;
        Value[] nulls = Stream.generate(() -> Value.NULL).limit(arguments).toArray(Value[]::new);
        Value value = function.value(nulls, new CallContext(PropertyType.I64, 0, Work.UNCOUNTED));
        assertThat(value).isEqualTo(arguments == 0 ? new Value.DateTime(0) : Value.NULL);
    }

    /** A word in another case is none. */
    @Test
    void aFunctionIsFoundByItsWord() {
        assertThat(Arrays.stream(Function.values()).map(each -> Function.named(each.word())))
                .containsExactly(Function.values());
        assertThat(Function.named("LOWER")).isNull();
    }
}
