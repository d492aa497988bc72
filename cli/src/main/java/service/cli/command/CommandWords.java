package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.regex.Pattern;
import service.cli.client.CommandFailure;

/**
 * Writes a refusal in the words of the command line. A graph refuses in the words of HTTP, on a server and in a
 * directory alike: routes, headers and fields. Here they become commands and options; the code and the other fields of
 * the error stay.
 */
final class CommandWords {
    private record Phrase(Pattern words, String replacement) {
        static Phrase of(String pattern, String replacement) {
            return new Phrase(Pattern.compile(pattern), replacement);
        }
    }

    private static final List<Phrase> PHRASES = List.of(
            Phrase.of("; send it to /query$", "; run it with `service query`"),
            Phrase.of("; send it to /mutate$", "; run it with `service mutate`"),
            Phrase.of("; invoke it at /queries/\\S+$", "; run it with `service query`"),
            // The name of a query that was typed without one.
            Phrase.of("^query `statement` is a (read|mutation);", "this is a $1;"),
            Phrase.of(" is a mutation, and `expect` asks for a read$", " writes; run it with `service mutate`"),
            Phrase.of(" is a read, and `expect` asks for a mutation$", " reads; run it with `service query`"),
            Phrase.of("; use GET /graphs$", "; list them with `service graphs list`"),
            Phrase.of("other tokens list graphs with GET /graphs$", "list them with `service graphs list`"),
            Phrase.of("with `merge_granularity = property`", "with --set merge_granularity=property"),
            Phrase.of(
                    "(with|needs) `granularity = property`(?:, or in a statement with `set merge_granularity = \"property\"`)?",
                    "$1 --granularity property"),
            Phrase.of("needs `merge_granularity = property`", "needs --set merge_granularity=property"),
            Phrase.of("so ask for `entity=edge`", "so give --edge"),
            Phrase.of("so ask for `entity=node`", "so leave --edge out"),
            explained("(\\w+) graph `([^`]+)`", "--graph $3 --action $2"),
            explained("(read|export|change) branch `([^`]+)` of graph `([^`]+)`", "--graph $4 --action $2 --branch $3"),
            explained("(\\w+) branch `([^`]+)` of graph `([^`]+)`", "--graph $4 --action $2 --target-branch $3"),
            explained("(graph_list|config_manage) here", "--scope cluster --action $2"),
            Phrase.of(
                    ": no rule of an applied policy allows it$",
                    ": no rule of an applied policy allows it; `service policy explain --cluster DIR --graph ID --actor"
                            + " ACTOR --action ACTION` shows why"),
            Phrase.of(
                    "^parameter `(\\w+)` must be a string, not (?:the number |)(\\S+)$",
                    "$0; as a string it is written -p '$1=\"$2\"'"),
            Phrase.of("choose one with `name`: ", "name one of them before the options: "),
            Phrase.of(
                    "take a new baseline \\(POST …/changes/baseline\\) and continue from its cursor",
                    "take a new baseline with `service changes baseline --out FILE --cursor-file FILE` and continue from its cursor"),
            Phrase.of(
                    "a credential is required: send `Authorization: Bearer <token>`",
                    "the server asks for a token: set SERVICE_BEARER_TOKEN, or name the server in config.yaml and run"
                            + " `service login NAME`"),
            Phrase.of(
                    "^(?:invalid_token: )?the credential is not one that this server accepts$",
                    "the server does not accept this token; give another in SERVICE_BEARER_TOKEN, or with `service"
                            + " login NAME` for a server that config.yaml names"),
            Phrase.of("^(stored query `[^`]+` does not exist)$", "$1, or you may not invoke it"),
            Phrase.of(
                    "take a side with `resolutions` \\((?=`source` is )",
                    "take a side with --take source|target of `service commit revert` or `pick` ("),
            Phrase.of("take a side with `resolutions`", "take a side with `service branch merge --take source|target`"),
            Phrase.of("header `Service-If-Graph-Commit`", "--if-commit"),
            Phrase.of("header `Idempotency-Key`", "--idempotency-key"),
            Phrase.of("`idempotency_key`", "--idempotency-key"),
            Phrase.of("`branch` and `snapshot`", "--branch and --snapshot"),
            Phrase.of("`as_of` and `snapshot`", "--as-of and --snapshot"),
            Phrase.of("`cursor`, `start` and `page_token`", "--cursor, --start and --cursor-file"),
            Phrase.of(
                    "it takes `branch`, and no `snapshot` or `as_of`",
                    "it takes --branch, and no --snapshot or --as-of"),
            Phrase.of("^`as_of`", "--as-of"),
            // An action of a policy, in words: the command after it has the name of the action.
            Phrase.of("^you may not branch_create branch ", "you may not create branch "),
            Phrase.of("^you may not branch_delete branch ", "you may not delete branch "),
            Phrase.of("^you may not branch_merge branch ", "you may not merge into branch "),
            Phrase.of("^you may not schema_apply branch ", "you may not change the schema of branch "),
            Phrase.of("^you may not branch_create graph ", "you may not create branches of graph "),
            Phrase.of("^you may not branch_delete graph ", "you may not delete branches of graph "),
            Phrase.of("^you may not branch_merge graph ", "you may not merge branches of graph "),
            Phrase.of("^you may not schema_apply graph ", "you may not change the schema of graph "),
            Phrase.of("^you may not invoke_query graph ", "you may not run stored queries of graph "),
            Phrase.of("^you may not graph_list here", "you may not list the graphs"),
            Phrase.of("^you may not config_manage here", "you may not manage the configuration of the cluster"),
            Phrase.of("^`(start|limit|cursor|before|from|branch|snapshot|mode|type|kind|op)` ", "--$1 "));

    private CommandWords() {}

    /** The phrase of a denial, with the command that explains it. */
    private static Phrase explained(String denied, String options) {
        return Phrase.of(
                "^(you may not " + denied + "): no rule of an applied policy allows it$",
                "$1: no rule of an applied policy allows it; `service policy explain --cluster DIR " + options
                        + " --actor ACTOR` shows why");
    }

    static CommandFailure of(CommandFailure failure) {
        ObjectNode body = failure.body();
        String text = translated(failure.getMessage());
        if (body == null || text.equals(failure.getMessage())) {
            return failure;
        }
        return new CommandFailure(failure.exitCode(), text, body.deepCopy().put("error", text));
    }

    private static String translated(String message) {
        String text = message;
        for (Phrase phrase : PHRASES) {
            text = phrase.words().matcher(text).replaceAll(phrase.replacement());
        }
        return text;
    }
}
