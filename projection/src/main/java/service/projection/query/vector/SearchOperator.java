package service.projection.query.vector;

/** An operator of searches, as {@code explain} and the metrics name it. */
public enum SearchOperator {
    TEXT_SEEK("TextSeek"),
    TEXT_TOP("TextTop"),
    VECTOR_TOP("VectorTop"),
    RANK("Rank"),
    FUSE("Fuse");

    private final String text;

    SearchOperator(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
