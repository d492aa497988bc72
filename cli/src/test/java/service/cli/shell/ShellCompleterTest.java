package service.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jline.reader.Candidate;
import org.junit.jupiter.api.Test;
import service.cli.client.GraphClient;
import service.cli.render.Rows;
import service.core.schema.SchemaCompiler;

final class ShellCompleterTest {
    private static final ShellSchema SCHEMA = new ShellSchema(SchemaCompiler.compile("""
                            interface Named { name: String }
                            node Person implements Named { name: String @key  age: I32?  birthday: Date?
                              mood: enum(glad, so-so)? }
                            node City implements Named { people: I64? }
                            edge Knows: Person -> Person { since: Date? }
                            edge LivesIn: Person -> City
                            """));
    private final ShellCompleter completer = new ShellCompleter(
            () -> SCHEMA,
            () -> Set.of("least"),
            new MetaCommands(
                    new ShellState(Rows.Format.table),
                    new NoGraph(),
                    () -> SCHEMA,
                    (answer, nanos, out, screen) -> {}));

    /** What is offered where the text ends. */
    private List<String> after(String text) {
        List<Candidate> candidates = new ArrayList<>();
        completer.complete(null, ShellParser.Line.of(text, text.length()), candidates);
        return candidates.stream().map(Candidate::value).toList();
    }

    @Test
    void typesFollowAColon() {
        assertThat(after("match { $p: P")).containsExactly("Person");
        assertThat(after("match { $p: ")).contains("City", "Named", "Person");
        assertThat(after("query q($n: Dat")).containsExactly("Date", "DateTime");
        assertThat(after("insert L")).containsExactly("LivesIn");
    }

    @Test
    void propertiesAreThoseOfTheVariablesType() {
        assertThat(after("match { $p: Person } return { $p.a")).containsExactly("$p.age");
        assertThat(after("match { $p: City $p.")).containsExactly("$p.name", "$p.people", "$p.@id", "$p.@type");
        assertThat(after("match { $a livesIn $c $c.p")).containsExactly("$c.people");
        assertThat(after("match { $a $w:knows $b } return { $w.@s")).containsExactly("$w.@src");
        assertThat(after("match { $a $w:knows $b } return { $w.s")).containsExactly("$w.since");
        assertThat(after("match { $a $w:cheapest <knows>{1,8 | $x $e $_ where $e.s"))
                .containsExactly("$e.since");
        assertThat(after("match { $a $w:knows{1,8 | $_ $e $_ by 1.0 / count { $a knows $_ }} $b $b.a"))
                .containsExactly("$b.age");
        assertThat(after("insert City { name: \"x\" } as $c return { $c.p")).containsExactly("$c.people");
        assertThat(after("insert Person { name: \"x\", bi")).containsExactly("birthday");
        assertThat(after("insert Knows { fr")).containsExactly("from");
        assertThat(after("match { $p: Person { na")).containsExactly("name");
        assertThat(after("update Person set { age: 3 } where birth")).contains("birthday");
    }

    @Test
    void aStringHoldsTheWordsOfItsEnum() {
        assertThat(after("match { $p: Person $p.mood = \"")).containsExactly("glad\"", "so-so\"");
        assertThat(after("match { $p: Person $p.mood in [\"glad\", \"so-")).containsExactly("so-so\"");
        assertThat(after("match { $p: Person { age: 3, mood: \"g")).containsExactly("glad\"");
        assertThat(after("match { $p: Person } update $p set { mood: \"g")).containsExactly("glad\"");
        assertThat(after("delete Person where mood != \"g")).containsExactly("glad\"");
        assertThat(after("match { $p: Person $p.mood = ")).contains("\"glad\"", "null");
        assertThat(after("match { $p: Person $p.name = \"ma")).isEmpty();
        assertThat(after("match { $p: Person // ma")).isEmpty();
        assertThat(after("/* \" */ match { $p: Person $p.name = \"\\\"\" $p.a")).containsExactly("$p.age");
    }

    @Test
    void edgesFollowAVariable() {
        assertThat(after("match { $c: City $c li")).containsExactly("livesIn", "limit");
        assertThat(after("match { $c: City $c kn")).isEmpty();
        assertThat(after("match { $p: Person $p kn")).containsExactly("knows");
        assertThat(after("match { $p: Person $p $w:kn")).containsExactly("knows");
        assertThat(after("match { $a $w:cheapest <kn")).containsExactly("knows");
        assertThat(after("match { $a $w:ch")).containsExactly("cheapest");
    }

    @Test
    void variablesAndParametersFollowADollar() {
        assertThat(after("match { $p: Person $p.age > $")).containsExactlyInAnyOrder("$p", "$least");
        assertThat(after("query q($n: I32) { match { for $x in range(1, $n) } with { count(*) as $c } where $"))
                .containsExactly("$c", "$least", "$n", "$x");
    }

    @Test
    void keywordsAndCommands() {
        assertThat(after("mat")).containsExactly("match", "matches", "match_text");
        assertThat(after("match { $p: Person } return { $p.name as who } order { wh"))
                .containsExactly("who", "where", "when");
        assertThat(after(":br")).containsExactly(":branch");
        assertThat(after(":schema Per")).containsExactly("Person");
        assertThat(after(":format j")).containsExactly("json", "jsonl");
    }

    private record NoGraph() implements Graphs {
        @Override
        public GraphClient reader() {
            throw new IllegalStateException("no graph");
        }

        @Override
        public GraphClient writer() {
            throw new IllegalStateException("no graph");
        }

        @Override
        public String name() {
            return "none";
        }
    }
}
