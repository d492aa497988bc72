package service.http.auth;

import java.util.Locale;

/** What a caller wants to do, in the words of the policy ({@code service.md}, Authorization). */
public enum Action {
    READ,
    EXPORT,
    CHANGE,
    SCHEMA_APPLY,
    BRANCH_CREATE,
    BRANCH_DELETE,
    BRANCH_MERGE,
    INVOKE_QUERY,
    GRAPH_LIST;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
