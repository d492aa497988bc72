package service.core.gq.syntax;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** What users of Cypher, SQL and ISO GQL write, and how it is written in GQ. */
final class ForeignWords {
    private static final String INSERT = "write `insert Type { name: value }`";
    private static final String DELETE =
            "write `delete $x`, or `delete Type where …`; the edges of a deleted node are deleted with it";
    private static final String SHORTEST = "write `$a $p:shortest knows{1,*} $b`, then `length($p)` and `nodes($p)`";

    private static final String ALL_SHORTEST = "write `$a $p:all shortest knows{1,*} $b`";

    private static final String IF = "write `case when $x.n > 1 then \"many\" else \"one\" end`";
    private static final String CAST =
            "write `to_string(…)`, `to_int(…)`, `to_float(…)`, `to_date(…)` or `to_datetime(…)`";
    private static final String BEST = "the first rows of each group are `order { $x.n desc } limit 3 per { $x.city }`";

    /** Words of GQ that other languages write in capitals within a clause. */
    private static final Set<String> WORDS = Set.of("as", "and", "or", "in", "is", "asc", "desc", "contains", "by");

    /** How far behind the word {@code case} a {@code when} is looked for. */
    private static final int SUBJECT_TOKENS_MAX = 64;

    static final String CASE = "write each condition: `case when $x.n = 1 then \"one\" else \"other\" end`";

    /** Remedies by words with which clauses begin, in lower case. */
    private static final Map<String, String> CLAUSES = Map.ofEntries(
            Map.entry("select", "a read is written `match { $x: Type } return { $x.name }`"),
            Map.entry("from", "a read is written `match { $x: Type } return { $x.name }`"),
            Map.entry("match", "write `match { $x: Type }` in small letters, with braces"),
            Map.entry("with", "write `with { $x, count(*) as $n }` in small letters, with braces"),
            Map.entry("return", "write `return { $x.name }` in small letters, with braces"),
            Map.entry("having", "write `where` after the braces: `return { $x.name, count(*) as n } where n > 2`"),
            Map.entry("where", "write `where` after `with { … }` or `return { … }`; in a match conditions stand alone"),
            Map.entry("group", "leave `group by` out: the columns without an aggregate are the group key"),
            Map.entry("fetch", "write `limit 3`"),
            Map.entry("top", "write `limit 3`"),
            Map.entry("next", "write `with { … }` between two matches: it names what the next one sees"),
            Map.entry("drop", "types are changed in the schema, not by queries"),
            Map.entry("use", "a query reads the graph that the request names"),
            Map.entry("explain", "`explain` stands before `query`"),
            Map.entry("on", "an `insert` whose key is taken changes the properties that it gives"),
            Map.entry("offset", "write `skip`, before `limit`: `skip 2 limit 5`"),
            Map.entry("order", "write `order { $x.name desc }`, after `return { … }`"),
            Map.entry("limit", "write `limit 3` after the braces of `return` or `with`"),
            Map.entry("per", "write `limit 1 per { $x.city }`"),
            Map.entry("let", "write `let $n = $x.age + 1` within the braces of `match`"),
            Map.entry("if", "a match chooses what is written: `match { $x: Type  $x.n > 3 } update $x set { n: 0 }`"),
            Map.entry("upsert", "an `insert` whose key is taken changes the properties that it gives"),
            Map.entry("begin", "a query is one commit, all of it or nothing: write its statements one after the other"),
            Map.entry("truncate", DELETE),
            Map.entry("g", "a read is written `match { $x: Type } return { $x.name }`"),
            Map.entry("mutation", "a query that writes begins with `query`, too: `query q() { insert Type { … } }`"),
            Map.entry("profile", "write `explain analyze query q() { … }`"),
            Map.entry("exists", "write `exists { … }` in small letters"),
            Map.entry("count", "write `count { … }` in small letters, and compare it: `count { … } > 2`"),
            Map.entry("not", "write `not { … }` in small letters"),
            Map.entry("optional", "write `optional { … }` within the braces of `match`"),
            Map.entry("unwind", "write `for $x in $names` within the braces of `match`"),
            Map.entry(
                    "call",
                    "there are no procedures; a block is a value: `count { … }`, `collect($x.name) { … }`; a stage ends"
                            + " with `with`"),
            Map.entry(
                    "union", "write `union` or `union all` in small letters, between `return { … }` and the next read"),
            Map.entry("intersect", "keep the rows that the other pattern has, too, with `exists { … }` in the match"),
            Map.entry("except", "leave out the rows that the other pattern has with `not { … }` in the match"),
            Map.entry("minus", "leave out the rows that the other pattern has with `not { … }` in the match"),
            Map.entry(
                    "merge",
                    "an `insert` of a type with a key changes the node or edge that has this key, or makes one"),
            Map.entry("foreach", "write `for $x in $names { insert Type { name: $x } }`, after a match or alone"),
            Map.entry("any", SHORTEST),
            Map.entry("shortest", SHORTEST),
            Map.entry("all", ALL_SHORTEST),
            Map.entry("create", INSERT),
            Map.entry("insert", INSERT),
            Map.entry("detach", DELETE),
            Map.entry("delete", DELETE),
            Map.entry("remove", "write `update $x set { name: null }`, or `update Type set { name: null } where …`"),
            Map.entry("set", "write `update $x set { name: value }`, or `update Type set { name: value } where …`"),
            Map.entry(
                    "returning",
                    "write `return { $x.@id }` after the statements; `insert … as $x` binds what it inserts"));

    private static final String INDEX_OF = "write `index_of(…, …)`: the string, then what is looked for";
    private static final String PARAMETER = "a query has one answer for one state: pass the value as a parameter";

    /** Remedies by names of functions, in lower case. */
    private static final Map<String, String> FUNCTIONS = Map.ofEntries(
            Map.entry("concat", "`||` joins strings and lists: `$x.name || \"!\"`"),
            Map.entry("duration", "write `date_add(…, 1, \"day\")` or `datetime_add(…, 1, \"hour\")`"),
            Map.entry("date_trunc", "write `truncate(…, \"month\")`: the date, then the unit"),
            Map.entry("extract", "write `year(…)`, `month(…)`, `day(…)`, `hour(…)` or `week(…)`"),
            Map.entry("date_part", "write `year(…)`, `month(…)`, `day(…)`, `hour(…)` or `week(…)`"),
            Map.entry("today", "write `date(now())`"),
            Map.entry("position", INDEX_OF),
            Map.entry("strpos", INDEX_OF),
            Map.entry("instr", INDEX_OF),
            Map.entry("locate", INDEX_OF),
            Map.entry("char_length", "write `length(…)`"),
            Map.entry("len", "write `length(…)`"),
            Map.entry("ucase", "write `upper(…)`"),
            Map.entry("lcase", "write `lower(…)`"),
            Map.entry("ltrim", "write `trim(…)`, which takes white space from both ends"),
            Map.entry("rtrim", "write `trim(…)`, which takes white space from both ends"),
            Map.entry("regexp_replace", "write `replace(…, \"a\", \"b\")`, which takes texts, not expressions"),
            Map.entry("nullif", "write `case when $x.n != 3 then $x.n end`"),
            Map.entry("isnull", "write `$x.name is null`"),
            Map.entry("pow", "write `power(…, …)`"),
            Map.entry("log", "write `ln(…)` or `log10(…)`"),
            Map.entry("mod", "write `$x.n % 2`"),
            Map.entry("ceiling", "write `ceil(…)`"),
            Map.entry("rand", PARAMETER),
            Map.entry("random", PARAMETER),
            Map.entry("variance", "write `power(stdev(…), 2)`"),
            Map.entry("count_distinct", "write `count(distinct …)`"),
            Map.entry("distinct", "write `return distinct { … }`, or `count(distinct …)`"),
            Map.entry("collect_list", "write `collect(…)`"),
            Map.entry("collect_set", "write `collect(distinct …)`"),
            Map.entry("filter", "write `[$x in $list where $x > 1]`"),
            Map.entry("map", "write `[$x in $list | $x + 1]`"),
            Map.entry("single", "write `length([$x in $list where $x > 1]) = 1`"),
            Map.entry("lag", BEST),
            Map.entry("lead", BEST),
            Map.entry("case", CASE),
            Map.entry("id", "write `$x.@id`"),
            Map.entry("elementid", "write `$x.@id`"),
            Map.entry("type", "write `$x.@type`"),
            Map.entry("label", "write `$x.@type`"),
            Map.entry("labels", "write `$x.@type`"),
            Map.entry("startnode", "write `$w.@src` for the id of its source"),
            Map.entry("endnode", "write `$w.@dst` for the id of its destination"),
            Map.entry("shortestpath", SHORTEST),
            Map.entry("allshortestpaths", ALL_SHORTEST),
            Map.entry("relationships", "write `edges($p)` for the edges of a path"),
            Map.entry("exists", "write `exists { … }`, or `$x.name is not null`"),
            Map.entry("stddev", "write `stdev(…)`"),
            Map.entry("stddev_samp", "write `stdev(…)`"),
            Map.entry("percentile_cont", "write `percentile($x.n, 0.9)`"),
            Map.entry("percentilecont", "write `percentile($x.n, 0.9)`"),
            Map.entry("string_agg", "write `join(collect(…), \", \")`"),
            Map.entry("group_concat", "write `join(collect(…), \", \")`"),
            Map.entry("size", "write `length(…)`"),
            Map.entry("head", "write `$list[0]`"),
            Map.entry("last", "write `$list[-1]`"),
            Map.entry("tail", "write `$list[1..]`"),
            Map.entry("reduce", "write a block: `sum($x) { for $x in $list }`"),
            Map.entry("keys", "return the node or edge itself: `return { $x }`"),
            Map.entry("properties", "return the node or edge itself: `return { $x }`"),
            Map.entry("if", IF),
            Map.entry("iif", IF),
            Map.entry("cast", CAST),
            Map.entry("tointeger", "write `to_int(…)`"),
            Map.entry("tofloat", "write `to_float(…)`"),
            Map.entry("tostring", "write `to_string(…)`"),
            Map.entry("row_number", BEST),
            Map.entry("rank", BEST),
            Map.entry("tolower", "write `lower(…)`"),
            Map.entry("toupper", "write `upper(…)`"),
            Map.entry("ifnull", "write `coalesce(…)`"),
            Map.entry("nvl", "write `coalesce(…)`"),
            Map.entry("mean", "write `avg(…)`"),
            Map.entry("array_agg", "write `collect(…)`"),
            Map.entry("timestamp", "write `now()`"),
            Map.entry("current_date", "write `date(now())`"),
            Map.entry("current_timestamp", "write `now()`"));

    private ForeignWords() {}

    /** How to write in GQ what begins at the current word; null when no other language is known for it. */
    static @Nullable String hint(TokenStream tokens) {
        return tokens.at(TokenKind.NAME) || tokens.at(TokenKind.TYPE)
                ? CLAUSES.get(tokens.tokenText().toLowerCase(Locale.ROOT))
                : null;
    }

    /** How to write in GQ the mode of a path that begins a clause in ISO GQL; null for what is none. */
    static @Nullable String mode(TokenStream tokens) {
        boolean isMode = (tokens.atWord("any") || tokens.atWord("all")) && tokens.wordAhead(1, "shortest");
        return isMode || (tokens.atWord("shortest") && tokens.kind(1) != TokenKind.DOT) ? hint(tokens) : null;
    }

    /** As {@link #hint}, where a clause may stand that begins with a word in capitals. */
    static @Nullable String capitals(TokenStream tokens) {
        String word = tokens.tokenText();
        return tokens.at(TokenKind.TYPE) && word.equals(word.toUpperCase(Locale.ROOT)) ? hint(tokens) : null;
    }

    /** How to write in GQ what follows a whole expression; null when no other language is known for it. */
    static @Nullable String after(TokenStream tokens) {
        return switch (tokens.kind()) {
            case TYPE -> smallLetters(tokens);
            case NAME -> word(tokens);
            case QUESTION -> tokens.kind(1) == TokenKind.QUESTION ? "write `coalesce(…, …)`" : IF;
            case LEFT_PAREN -> "a function stands before what it takes: `upper($x.name)`";
            case LEFT_BRACE ->
                "a record names its fields: `{ name: $x.name }`; an aggregate before a block names what it runs over:"
                        + " `collect($x.name) { … }`";
            case SEMICOLON -> "columns are separated by commas";
            case COLON ->
                tokens.kind(1) == TokenKind.COLON ? CAST : "a column is named after its expression: `$x.name as n`";
            default -> null;
        };
    }

    private static @Nullable String word(TokenStream tokens) {
        return switch (tokens.tokenText()) {
            case "over" -> BEST;
            case "filter" -> "an aggregate has its condition within: `sum($x.n where $x.n > 3)`";
            case "div" -> "write `/`";
            case "mod" -> "write `%`";
            case "having", "where" -> CLAUSES.get("having");
            case "nulls" -> "nulls come first, and with `desc` last";
            default -> null;
        };
    }

    /** How to write a word of GQ that stands there in capitals; null for any other word. */
    static @Nullable String smallLetters(TokenStream tokens) {
        String word = tokens.tokenText().toLowerCase(Locale.ROOT);
        return tokens.at(TokenKind.TYPE) && WORDS.contains(word) ? "write `" + word + "` in small letters" : null;
    }

    /** How to write in GQ a test with the operator that the current word is in SQL; null for any other word. */
    static @Nullable String operator(TokenStream tokens) {
        return switch (tokens.tokenText()) {
            case "like", "ilike" ->
                "write `starts_with \"…\"`, `ends_with \"…\"`, `contains \"…\"`, or `matches \"…\"` with a regular"
                        + " expression";
            case "starts" -> tokens.wordAhead(1, "with") ? "write `starts_with \"…\"`" : null;
            case "ends" -> tokens.wordAhead(1, "with") ? "write `ends_with \"…\"`" : null;
            case "between" ->
                tokens.kind(1) == TokenKind.RIGHT_BRACE ? null : "write both bounds: `$x.n >= 1 and $x.n <= 9`";
            default -> null;
        };
    }

    /** Whether the word {@code case} at the cursor begins an expression of SQL, not one with a column of that name. */
    static boolean isCase(TokenStream tokens) {
        return switch (tokens.kind(1)) {
            case VARIABLE, STRING, INT, FLOAT -> true;
            case TYPE -> tokens.tokenText(1).equalsIgnoreCase("when");
            case NAME -> whenFollows(tokens);
            default -> false;
        };
    }

    /** Whether a {@code when} follows the expression that begins after the current word. */
    private static boolean whenFollows(TokenStream tokens) {
        int depth = 0;
        for (int ahead = 1; ahead < SUBJECT_TOKENS_MAX && depth >= 0; ahead++) {
            switch (tokens.kind(ahead)) {
                case LEFT_PAREN, LEFT_BRACE, LEFT_BRACKET -> depth++;
                case RIGHT_PAREN, RIGHT_BRACE, RIGHT_BRACKET -> depth--;
                case END -> depth = -1;
                case COMMA -> depth = depth == 0 ? -1 : depth;
                default -> {
                    if (depth == 0 && tokens.wordAhead(ahead, "when")) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** How to write in GQ a call of a function that it does not have, or null. */
    static @Nullable String ofFunction(String name) {
        return FUNCTIONS.get(name.toLowerCase(Locale.ROOT));
    }
}
