package service.core.gq;

import org.jspecify.annotations.Nullable;

/** What a statement makes of a commit. */
public enum UndoStatement {
    REVERT("commit revert", "reverted"),
    PICK("commit pick", "picked"),
    RESTORE("branch restore", "restored");

    private final String words;
    private final String done;

    UndoStatement(String words, String done) {
        this.words = words;
        this.done = done;
    }

    /** The words with which the statement begins. */
    public String words() {
        return words;
    }

    /** What its answer says was done. */
    public String done() {
        return done;
    }

    /** The statement whose answer says this; null for another word. */
    public static @Nullable UndoStatement ofDone(String done) {
        for (UndoStatement statement : values()) {
            if (statement.done.equals(done)) {
                return statement;
            }
        }
        return null;
    }
}
