package service.core.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The branches that a rule applies to. */
public enum BranchScope {
    ANY,
    PROTECTED,
    UNPROTECTED;

    /** The word in policies. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean covers(boolean isProtected) {
        return switch (this) {
            case ANY -> true;
            case PROTECTED -> isProtected;
            case UNPROTECTED -> !isProtected;
        };
    }

    static @Nullable BranchScope of(String wireName) {
        for (BranchScope scope : values()) {
            if (scope.wireName().equals(wireName)) {
                return scope;
            }
        }
        return null;
    }

    static List<String> wireNames() {
        return Arrays.stream(values()).map(BranchScope::wireName).toList();
    }
}
