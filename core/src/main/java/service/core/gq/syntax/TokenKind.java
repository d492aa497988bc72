package service.core.gq.syntax;

/** The kinds of tokens. Keywords are names: the parser reserves them only where the grammar needs them. */
enum TokenKind {
    /** Starts with a lower-case letter or {@code _}. */
    NAME("a name"),
    /** Starts with an upper-case letter. */
    TYPE("a type name"),
    /** {@code $name}. */
    VARIABLE("a variable"),
    /** {@code $_}. */
    ANONYMOUS("`$_`"),
    /** {@code @name}. */
    AT_NAME("an annotation"),
    STRING("a string"),
    INT("an integer"),
    FLOAT("a number"),
    LEFT_PAREN("`(`"),
    RIGHT_PAREN("`)`"),
    LEFT_BRACE("`{`"),
    RIGHT_BRACE("`}`"),
    LEFT_BRACKET("`[`"),
    RIGHT_BRACKET("`]`"),
    COMMA("`,`"),
    COLON("`:`"),
    SEMICOLON("`;`"),
    DOT("`.`"),
    BAR("`|`"),
    QUESTION("`?`"),
    EQUAL("`=`"),
    NOT_EQUAL("`!=`"),
    LESS("`<`"),
    LESS_OR_EQUAL("`<=`"),
    GREATER("`>`"),
    GREATER_OR_EQUAL("`>=`"),
    PLUS("`+`"),
    MINUS("`-`"),
    STAR("`*`"),
    SLASH("`/`"),
    PERCENT("`%`"),
    /** What is no token; {@link Lexer#explain} says why. */
    ERROR("a character"),
    END("the end of the source");

    /** How a message names what was expected. */
    final String words;

    TokenKind(String words) {
        this.words = words;
    }
}
