package service.core.schema.syntax;

import java.util.List;
import service.core.schema.syntax.SchemaParser.Mistake;
import service.core.schema.syntax.SyntaxTree.Name;

/** The tokens and the place in them. The end token stays where it is, however often it is taken. */
final class SchemaTokenStream {
    private final List<Token> tokens;
    private int position;

    SchemaTokenStream(List<Token> tokens) {
        this.tokens = tokens;
    }

    Token peek() {
        return peek(0);
    }

    Token peek(int ahead) {
        return tokens.get(Math.min(position + ahead, tokens.size() - 1));
    }

    Token next() {
        Token token = peek();
        if (position < tokens.size() - 1) {
            position++;
        }
        return token;
    }

    boolean atEnd() {
        return peek().kind() == Token.Kind.END;
    }

    boolean take(String sign) {
        if (peek().is(sign)) {
            next();
            return true;
        }
        return false;
    }

    boolean takeWord(String word) {
        if (peek().kind() == Token.Kind.NAME && peek().text().equals(word)) {
            next();
            return true;
        }
        return false;
    }

    void expect(String sign, String where) {
        if (!take(sign)) {
            throw new Mistake(peek(), "expected `" + sign + "` " + where + ", found " + peek().described(), null);
        }
    }

    /** A name with a lower-case initial. */
    Name name(String what) {
        Token token = peek();
        if (token.kind() != Token.Kind.NAME) {
            String hint = token.kind() == Token.Kind.TYPE ? "names begin with a lower-case letter or `_`" : null;
            throw new Mistake(token, "expected " + what + ", found " + token.described(), hint);
        }
        next();
        return new Name(token.text(), token.start());
    }

    /** A name with an upper-case initial. */
    Name typeName(String what) {
        Token token = peek();
        if (token.kind() != Token.Kind.TYPE) {
            String hint = token.kind() == Token.Kind.NAME ? "type names begin with an upper-case letter" : null;
            throw new Mistake(token, "expected " + what + ", found " + token.described(), hint);
        }
        next();
        return new Name(token.text(), token.start());
    }
}
