package service.core.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ServiceException;
import service.core.gq.GqCompiler;
import service.core.gq.syntax.GqParser;
import service.core.schema.SchemaCompiler;

/** What a formatted source looks like. */
final class SourceFormatTest {
    @Test
    void aQueryIsLaidOut() {
        assertThat(GqCompiler.format("""
                        // People.


                        query friends ($name:String , $least : I32=18)
                        @description( "Who knows whom" ) {

                        match {   // the pattern
                            $p:Person{name:$name}
                          $p $k:knows{1,3} $f   $f.age>=$least
                              and not { $f <likes|knows> $_ }
                            /* two
                               lines */
                            (count{ $f knows $x } > 1)
                            $p $w:cheapest knows{1,* | $_ $e $_ by 1} $x
                          }
                             return {$p.name,$f.age + 1 as next,[1,2] as list,{a:1} as r}


                             order { next desc ,$p.name } limit 3

                        }
                        query all_people() { match { $p: Person  $p.age > 3 } return { 1, 2 } }""")).isEqualTo("""
                        // People.

                        query friends ($name: String, $least: I32 = 18)
                          @description("Who knows whom") {
                          match {  // the pattern
                            $p: Person { name: $name }
                            $p $k:knows{1,3} $f  $f.age >= $least
                              and not { $f <likes|knows> $_ }
                            /* two
                               lines */
                            (count { $f knows $x } > 1)
                            $p $w:cheapest knows{1,* | $_ $e $_ by 1} $x
                          }
                          return { $p.name, $f.age + 1 as next, [1, 2] as list, { a: 1 } as r }

                          order { next desc, $p.name } limit 3
                        }
                        query all_people() { match { $p: Person  $p.age > 3 } return { 1, 2 } }
                        """);
    }

    @Test
    void aSchemaIsLaidOut() {
        assertThat(SchemaCompiler.format("""
                        node Person @description ("A person"){
                        name:String @key  // unique
                            mood : enum( glad , calm )?
                           tags:[String] ?   @unique( name,mood )
                        }
                        edge Knows:Person->Person{since:Date?}""")).isEqualTo("""
                        node Person @description("A person") {
                          name: String @key  // unique
                          mood: enum(glad, calm)?
                          tags: [String]?  @unique(name, mood)
                        }
                        edge Knows: Person -> Person { since: Date? }
                        """);
    }

    @ParameterizedTest
    @CsvSource({
        "branch create feature/x-1 from main, 'branch create feature/x-1 from main\n'",
        "'set timeout_ms=5;explain  query q(){return{-1 as x}}', 'set timeout_ms = 5; explain  query q() { return { -1 as x } }\n'",
        "'', ''",
        "'// only a remark', '// only a remark\n'"
    })
    void statementsAreLaidOut(String source, String formatted) {
        assertThat(GqParser.format(source)).isEqualTo(formatted);
    }

    @Test
    void aSourceWithAMistakeIsRefused() {
        assertThatThrownBy(() -> GqCompiler.format("query q( {")).isInstanceOf(ServiceException.class);
        assertThatThrownBy(() -> SchemaCompiler.format("node person {")).isInstanceOf(ServiceException.class);
    }

    /** What a parser would refuse does no harm; what is no token stays as it is. */
    @ParameterizedTest
    @ValueSource(
            strings = {"query  q() { \"open\n }", "a  /* open", "a  ^", ") ]  } (", "1 . 2", "/", "//", "/**/ x  y"})
    void wildSourcesKeepTheirTokens(String source) {
        String formatted = GqParser.format(source);
        assertThat(formatted.replaceAll("\\s", "")).isEqualTo(source.replaceAll("\\s", ""));
        assertThat(GqParser.format(formatted)).isEqualTo(formatted);
    }

    @Test
    void formattingAgainChangesNothing() throws IOException {
        Path folder = Path.of(System.getProperty("service.root"), "core/src/test/resources/service/core/fuzz/gq");
        try (Stream<Path> walk = Files.list(folder)) {
            List<Path> files = walk.toList();
            assertThat(files).isNotEmpty();
            for (Path file : files) {
                String formatted = GqParser.format(Files.readString(file));
                assertThat(GqParser.format(formatted)).as(file.toString()).isEqualTo(formatted);
            }
        }
    }
}
