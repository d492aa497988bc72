package service.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class InputShapeTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  \n",
                ":branch x",
                "query q() { match { $p: Person } return { $p } }",
                "match { $p: Person } return { $p }",
                "match { $p: Person }\nreturn { $p } order { $p.name } limit 3",
                "match { $p: Person\n",
                "match { $p: Person } } return",
                "insert Person { name: \"}\" }",
                "update Person set { age: 3 } where name = \"a\"",
                "delete Person where true",
                "match { $p: Person } delete $p",
                "match { $p: Person } update $p set { age: 3 }",
                "match { $p: Person } insert Person { name: $p.name } as $q return { $q }",
                "explain query q() { match { $p: Person } return { $p } }",
                "explain match { $p: Person } return { $p }",
                "return { 1 as x }",
                "with { 1 as $x } return { $x }",
                "branch list",
                "show all;",
                "set row_limit = 3; match { $p: Person } return { $p }",
                "match { $p: Person /* { */ $p.name = \"{\\\"{\" } // {\nreturn { $p }",
                "nonsense",
                "?",
                "!",
                "@x",
                "# a comment of another language",
                "-- and of SQL",
                "'text'",
                "\"text\"",
                "42",
                "{",
                "(",
                "? {",
                "}{",
                ") match {",
                "/* c */ ? {",
                "set row_limit = 3; ?",
                "\u0000",
                "\uFFFD",
                "\uD83D\uDE00",
            })
    void isWhole(String input) {
        assertThat(InputShape.isWhole(input)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | true",
                "// c | true",
                "/* c */ ; | true",
                "/* c | false",
                "? | false",
                "x | false",
                "set row_limit = 3; | false",
            })
    void onlyCommentsAndSemicolonsAreNothing(String input, boolean nothing) {
        assertThat(InputShape.isNothing(input)).isEqualTo(nothing);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "match { $p: Person } return { $p }             | true",
                "match { $p: Person } return { $p } limit 1     | true",
                "explain match { $p: Person } return { $p }     | true",
                "match { $p: Person } return { $p };            | false",
                "match { $p: Person }                           | false",
                "query q() { match { $p: P } return { $p } }    | false",
                "insert Person { name: 'x' }                    | false",
                ":param x=1                                     | false",
            })
    void onlyAReadWithoutANameMayContinue(String input, boolean may) {
        assertThat(InputShape.mayContinue(input)).isEqualTo(may);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "query q() {",
                "query q()",
                "query q() { match { $p: Person } return { $p }",
                "match { $p: Person }",
                "match { $p: Person }\nreturn {",
                "return",
                "with { 1 as $x }",
                "insert Person",
                "update Person set { age: 3 }",
                "update Person set { age: 3 } where",
                "delete Person",
                "explain",
                "explain analyze match { $p: Person }",
                "set row_limit = 3;",
                "match { $p: Person } /* return { $p }",
                "match { $p: Person $p.name = \"} return { $p }",
            })
    void goesOn(String input) {
        assertThat(InputShape.isWhole(input)).isFalse();
    }
}
