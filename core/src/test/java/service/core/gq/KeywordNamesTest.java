package service.core.gq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ServiceException;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.SchemaCompiler;

/**
 * Every word of the two languages as a property, in every place where a property may stand: it means what any other
 * name means there.
 */
final class KeywordNamesTest {
    /** A name that no language has. */
    private static final String PLAIN = "zzz";

    private static final String WORDS = """
            set reset branch list show create delete merge into explain analyze all query match return distinct order
            skip limit as asc desc optional not exists count sum avg min max collect insert update where and or is in
            contains starts_with ends_with matches null_ true_ now lower upper length coalesce abs round date datetime
            year month day date_diff datetime_diff truncate search match_text fuzzy bm25 nearest rrf like ilike between
            node edge interface implements enum key unique index range check card default embed rename_from description
            instruction type data name value self this cast case when then else end any with create by on union
            shortest trail acyclic cheapest cost""";

    private static final List<String> NUMBER_PREDICATES = List.of(
            "W = 1",
            "1 = W",
            "W is null",
            "W is not null",
            "not W is null",
            "not W = 1",
            "W in [1]",
            "W not in [1]",
            "not W in [1]",
            "W + 1 > 2",
            "-W = 1",
            "(W) = 1",
            "W % 2 = 0",
            "W * W > W",
            "abs(W) = 1",
            "coalesce(W, 1) = 1",
            "k = \"a\" and W = 1",
            "W = 1 and k = \"a\"",
            "W is null or W in [1, 2] and W = 2",
            "other = W and k = \"a\"",
            "other = W or W is null");
    private static final List<String> BOOL_PREDICATES = List.of(
            "W",
            "not W",
            "(W)",
            "not (W)",
            "W and k = \"a\"",
            "k = \"a\" and W",
            "k = \"a\" and not W",
            "not W and not W",
            "W or W",
            "W = true",
            "W != W",
            "W is not null",
            "not W or W is null");
    private static final List<String> TEXT_PREDICATES = List.of(
            "W contains \"a\"",
            "not W contains \"a\"",
            "W starts_with \"a\"",
            "W ends_with W",
            "W matches \"a\"",
            "k starts_with W",
            "lower(W) = \"a\"",
            "length(W) > 1 and W = k");
    private static final List<String> READS = List.of(
            "match { $t: T { W: 1 } } return { $t.W }",
            "match { $t: T { W: 1, k: \"a\" } } return { $t.W as W }",
            "match { $t: T { k: \"a\" W: 1 } } return { $t.W as W } order { W }",
            "match { $t: T { other: 1 W: 1 } $t.W is null } return { $t.W as W, $t.k as k } order { W desc, k }",
            "match { $t: T $t.W = 1 not $t.W in [2] } return { $t.k as W } order { W asc }",
            "match { $t: T not { $t joins $u $u.W = 1 } } return { $t.other as W\n $t.k as k } order { W\n k }",
            "match { $t: T count { $t joins $u $u.W = $t.W } > 1 } return { sum($t.W) as W } order { W + 1 desc }",
            "match { $t: T sum($u.W) { $t joins $u } >= 1 } return distinct { $t.W as W } order { W } limit 1",
            "match { $t: T optional { $t $e:joins $u $e.W > 1 } } return { $e.W as W, $t.k as k } order { (W), k }");

    static Stream<String> words() {
        return Stream.of(WORDS.split("\\s+", -1)).distinct();
    }

    private static Catalog catalog(String word, String type) {
        return SchemaCompiler.compile("""
                interface I { W: TYPE }
                node T implements I { k: String @key  W: TYPE  other: I64?  flag: Bool?  flag2: Bool? }
                edge Joins: T -> T { W: TYPE }
                """.replace("W", word).replace("TYPE", type));
    }

    @ParameterizedTest
    @MethodSource("words")
    void aWordIsAPropertyLikeAnyOther(String word) {
        same(word, "I64?", mutations(NUMBER_PREDICATES, "W"));
        same(word, "I64?", READS);
        same(word, "Bool?", mutations(BOOL_PREDICATES, "W"));
        same(word, "Bool?", mutations(BOOL_PREDICATES, "not W"));
        same(word, "String?", mutations(TEXT_PREDICATES, null));
        same(word, "[String]?", mutations(List.of("W contains \"a\"", "length(W) = 1", "not W contains k"), null));
        same(word, "DateTime?", mutations(List.of("date(W) = date(\"2024-01-01\")", "W < truncate(W, \"day\")"), null));
    }

    /** @param assigned a value of the property's type, or null */
    private static List<String> mutations(List<String> predicates, String assigned) {
        List<String> sources = new ArrayList<>();
        sources.add("insert T { k: \"a\", W: null }");
        sources.add("insert T { k: \"a\" W: null other: 2 }");
        sources.add("insert T { W: null k: \"a\" }");
        String target = assigned == null ? "other: 1" : "W: " + assigned;
        String other = assigned == null ? "other: 1" : (assigned.equals("W") ? "W: W " : "flag: not W ") + "other: 1";
        for (String predicate : predicates) {
            sources.add("update T set { " + target + " } where " + predicate);
            sources.add("update T set { " + other + " } where " + predicate + " update T set { " + target
                    + "\n flag2: true } where " + predicate);
            sources.add("delete T where " + predicate + " delete T where " + predicate);
            sources.add("delete T where " + predicate + "\ndelete T where " + predicate);
        }
        return sources;
    }

    private static void same(String word, String type, List<String> templates) {
        Catalog named = catalog(word, type);
        Catalog plain = catalog(PLAIN, type);
        for (String template : templates) {
            String source = "query q() { " + template + " }";
            String expected = shown(plan(source.replace("W", PLAIN), plain));
            String source2 = source.replace("W", word);
            assertThat(shown(plan(source2, named)).replaceAll("\\b" + word + "\\b", PLAIN))
                    .as(source2)
                    .isEqualTo(expected.replaceAll("\\b" + word + "\\b", PLAIN));
        }
    }

    private static Plan plan(String source, Catalog catalog) {
        try {
            CompiledSource compiled = GqCompiler.compile(source, null, catalog);
            return ((CompiledSource.Request.Query) compiled.request()).plan();
        } catch (ServiceException e) {
            throw new AssertionError(source + ": " + e.getMessage(), e);
        }
    }

    private static String shown(Plan plan) {
        return plan.toString().replaceAll("Origin\\[source=[^,]*, start=[0-9]+, end=[0-9]+\\]", "Origin");
    }

    @ParameterizedTest
    @MethodSource("words")
    void theSchemaTakesAWordInEachPlace(String word) {
        for (String body : List.of(
                "W: I64 @key",
                "W: I64 @key(W)",
                "W: I64? @unique",
                "a: I64 W: I64 @key(a, W)",
                "W: I64 @unique(W) @index(W)",
                "W: I64 @range(W, 0..9)",
                "W: I64 @default(3)",
                "W: String @check(W, \"a\")",
                "W: String v: Vector(3) @embed(\"W\")",
                "W: String? @rename_from(\"W2\")",
                "W: enum(W, b)? @default(W)",
                "a: I64 @description(\"x\", W=1) W: I64")) {
            String source = "node T { " + body.replace("W", word) + " }";
            assertThat(SchemaCompiler.compile(source).node("T").property(word))
                    .as(source)
                    .isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false", "null"})
    void aLiteralNamesNoPropertyOfANewSchemaButOneThatIsThereOpens(String word) {
        for (String source : List.of(
                "node T { W: I64? }",
                "node A { a: I64 } edge E: A -> A { W: Bool }",
                "interface I { W: String } node T implements I {}")) {
            String named = source.replace("W", word);
            assertThatThrownBy(() -> SchemaCompiler.compile(named))
                    .hasMessageContaining("PG-NA-004")
                    .hasMessageContaining("`" + word + "` is a literal")
                    .hasMessageContaining("@rename_from(\"" + word + "\")");
            // What an older version stored: the same identities, under the name that it allowed.
            String other = "z".repeat(word.length());
            byte[] identities = CatalogCodec.encode(SchemaCompiler.compile(source.replace("W", other)));
            String stored = new String(identities, ISO_8859_1).replace("." + other, "." + word);
            Catalog opened = CatalogCodec.decode(named, stored.getBytes(ISO_8859_1));
            assertThat(opened.source()).isEqualTo(named);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false", "null", "not", "asc", "desc", "order", "limit", "is", "and", "zzz"})
    void anAliasOfAnyNameIsWhatOrderMeans(String alias) {
        Catalog catalog = catalog("w", "I64?");
        for (String order : List.of("A", "(A) desc", "(A) asc", "A + 1", "-A", "A, $t.k", "A * 2 desc")) {
            String source = "query q() { match { $t: T } return { 9 - $t.w as A } order { " + order + " } }";
            Plan.Read plan = (Plan.Read) plan(source.replace("A", alias), catalog);
            Plan.Read expected = (Plan.Read) plan(source.replace("A", PLAIN), catalog);
            assertThat(plan.last().order()).as(source).isEqualTo(expected.last().order());
        }
    }

    @Test
    void aDoubtfulNotIsReadAsTheLanguageSays() {
        Catalog catalog = catalog("not", "Bool?");
        String negated = shown(plan("query q() { delete T where not (flag) }", catalog));
        assertThat(shown(plan("query q() { delete T where not flag }", catalog)))
                .isEqualTo(negated);
        assertThat(shown(plan("query q() { delete T where not flag = true }", catalog)))
                .contains("Not[");
        assertThat(shown(plan("query q() { delete T where not is null }", catalog)))
                .doesNotContain("Not[");
    }
}
