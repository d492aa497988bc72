package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class LintCommandTest {
    private static final String GOOD = """
            query people($least: I32) {
              match { $p: Person  $p.age >= $least  $p worksAt $c }
              return { $p.name, count($c) as jobs }
            }
            query grow() { update Person set { age: age + 1 } where true }
            query forget($n: String) { delete Person where name = $n }
            """;

    @TempDir
    private Path folder;

    private Path schema = Path.of(".");

    private record Run(int code, String out, String err) {
        JsonNode json() throws IOException {
            return new ObjectMapper().readTree(out);
        }
    }

    @BeforeEach
    void writeSchema() throws IOException {
        schema = file("people.pg", """
                        node Person { name: String @key  age: I32?  nick: String? }
                        node Company { name: String @key }
                        edge WorksAt: Person -> Company { role: String? }
                        """);
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private static Run run(Object... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> words = new ArrayList<>(List.of("lint"));
        for (Object argument : arguments) {
            words.add(argument.toString());
        }
        String[] line = words.toArray(String[]::new);
        CommandLine command = CommandLines.service(line);
        command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int code = command.execute(line);
        return new Run(code, out.toString(), err.toString());
    }

    @Test
    void tellsWhatEachQueryTouchesAndAnswers() throws IOException {
        Run run = run("--query", file("good.gq", GOOD), "--schema", schema, "--json");
        assertThat(run.code()).isZero();
        JsonNode answer = run.json();
        assertThat(answer.path("ok").asBoolean()).isTrue();
        assertThat(answer.path("diagnostics").findValuesAsText("code")).containsExactly("L201");
        assertThat(answer.at("/diagnostics/0/message").asText()).contains("`Person.nick`");
        assertThat(answer.at("/diagnostics/0/file").asText()).isEqualTo(schema.toString());
        assertThat(answer.at("/diagnostics/0/severity").asText()).isEqualTo("warning");
        assertThat(answer.path("queries").get(0).toString()).isEqualTo("""
                        {"name":"people","mutation":false,"params":[{"name":"least","type":"I32","nullable":false}],\
                        "reads":["Company","Person","WorksAt"],"writes":[],"cascades":[],\
                        "columns":["p.name","jobs"],"column_types":["String","I64"]}""");
        assertThat(answer.at("/queries/1/writes").toString()).isEqualTo("[\"Person\"]");
        assertThat(answer.at("/queries/2/cascades").toString()).isEqualTo("[\"WorksAt\"]");
    }

    @Test
    void peopleReadATable() throws IOException {
        Run run = run("--query", file("good.gq", GOOD), "--schema", schema);
        assertThat(run.out())
                .contains("warning: " + schema + ": L201 at 1:45")
                .contains("people  Company, Person, WorksAt")
                .contains("Person (and WorksAt)")
                .contains("p.name: String, jobs: I64")
                .endsWith("0 errors, 1 warning\n");
    }

    @Test
    void everyErrorIsShownWithItsPlaceAndExitsWithOne() throws IOException {
        Path bad = file("bad.gq", """
                        query a() { match { $p: Person $p.age > } return { $p } }
                        query b() {
                          match { $p: Person }
                          return { $p.nme }
                        }
                        """);
        Run run = run("--query", bad, "--query", file("good.gq", GOOD), "--schema", schema);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("error: " + bad + ": Q000 at 1:41: expected a value, found `}`")
                .contains("""
                        : T2 at 4:15: node type `Person` has no property `nme`
                          return { $p.nme }
                                      ^
                          hint: did you mean `name`?
                        """)
                .contains("people ")
                .endsWith("2 errors, 1 warning\n");
        JsonNode first = run("--query", bad, "--schema", schema, "--json")
                .json()
                .path("diagnostics")
                .get(0);
        assertThat(first.path("code").asText()).isEqualTo("Q000");
        assertThat(first.path("file").asText()).isEqualTo(bad.toString());
        assertThat(first.path("line").asInt()).isEqualTo(1);
        assertThat(first.path("column").asInt()).isEqualTo(41);
    }

    @Test
    void aBrokenSchemaIsExplained() throws IOException {
        Path broken = file("broken.pg", "node Person { name: Strin }");
        Run run = run("--query", file("good.gq", GOOD), "--schema", broken);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEqualTo("error: " + broken + """
                                : PG-TY-003 at 1:21: `Strin` is not a property type
                                  node Person { name: Strin }
                                                      ^
                                  hint: did you mean `String`?
                                1 error, 0 warnings
                                """);
    }

    @Test
    void aMissingFileIsARefusalAndAMissingOptionAMatterOfUsage() throws IOException {
        assertThat(run("--query", folder.resolve("none.gq"), "--schema", schema).code())
                .isEqualTo(1);
        assertThat(run("--query", file("good.gq", GOOD)).code()).isEqualTo(2);
        assertThat(run("--schema", schema).out()).isEqualTo("0 errors, 0 warnings\n");
    }
}
