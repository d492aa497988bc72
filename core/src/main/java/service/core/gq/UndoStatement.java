package service.core.gq;

/** What a statement makes of a commit. */
public enum UndoStatement {
    REVERT("commit revert"),
    PICK("commit pick"),
    RESTORE("branch restore");

    private final String words;

    UndoStatement(String words) {
        this.words = words;
    }

    /** The words with which the statement begins. */
    public String words() {
        return words;
    }
}
