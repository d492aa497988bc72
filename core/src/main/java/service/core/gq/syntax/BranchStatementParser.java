package service.core.gq.syntax;

import service.core.gq.syntax.GqFile.StatementSyntax;
import service.core.text.Lexer;
import service.core.text.Span;
import service.core.text.TokenKind;
import service.core.text.TokenStream;

/** Parses the statements about branches and commits. One thread, one use. */
final class BranchStatementParser {
    private final TokenStream tokens;

    BranchStatementParser(TokenStream tokens) {
        this.tokens = tokens;
    }

    /** Parses what follows {@code branch}. */
    StatementSyntax branchStatement() {
        Span span = tokens.span();
        String word = tokens.expect(
                TokenKind.NAME, "`list`, `show`, `create`, `delete`, `merge` or `restore` after `branch`");
        return switch (word) {
            case "list" -> new StatementSyntax.BranchList();
            case "show" -> new StatementSyntax.BranchShow(branch());
            case "create" -> {
                String name = branch();
                yield new StatementSyntax.BranchCreate(name, tokens.acceptWord("from") ? branch() : null);
            }
            case "delete" -> new StatementSyntax.BranchDelete(branch());
            case "merge" -> {
                String source = branch();
                yield new StatementSyntax.BranchMerge(source, tokens.acceptWord("into") ? branch() : null);
            }
            case "restore" -> {
                String name = branch();
                yield new StatementSyntax.Undo(GqFile.UndoWord.RESTORE, commitAfter("to"), name);
            }
            default ->
                throw tokens.fail(
                        span,
                        "there is no statement `branch " + word + "`",
                        "the statements are branch list, show, create, delete, merge and restore");
        };
    }

    /** Parses what follows {@code commit}. */
    StatementSyntax commitStatement() {
        Span span = tokens.span();
        String word = tokens.expect(TokenKind.NAME, "`revert` or `pick` after `commit`");
        return switch (word) {
            case "revert" -> {
                String ref = branch();
                yield new StatementSyntax.Undo(
                        GqFile.UndoWord.REVERT, ref, tokens.acceptWord("into") ? branch() : null);
            }
            case "pick" -> {
                String ref = branch();
                yield new StatementSyntax.Undo(GqFile.UndoWord.PICK, ref, commitAfter("into"));
            }
            default ->
                throw tokens.fail(
                        span,
                        "there is no statement `commit " + word + "`",
                        "the statements are commit revert and commit pick");
        };
    }

    /** A name or a ref after a word that must be there. */
    private String commitAfter(String word) {
        if (!tokens.acceptWord(word)) {
            throw tokens.expected("`" + word + "`", null);
        }
        return branch();
    }

    private String branch() {
        if (tokens.at(TokenKind.STRING)) {
            return tokens.string("a branch");
        }
        String name = tokens.rawWord(c -> Lexer.isWord((char) c) || c == '.' || c == '/' || c == '-');
        if (name == null) {
            throw tokens.expected("the name of a branch", null);
        }
        return name;
    }
}
