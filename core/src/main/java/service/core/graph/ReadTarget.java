package service.core.graph;

/** What a read looks at; fixed for its whole duration. */
public sealed interface ReadTarget {
    ReadTarget MAIN = new AtBranch("main");

    record AtBranch(String branch) implements ReadTarget {}

    /** The state that a commit made. */
    record AtSnapshot(String commitId) implements ReadTarget {}
}
