package service.cli.codegen;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Names of one scope of generated code: each is given once, and none is a word that the scope needs. One thread. */
final class CodeNames {
    private final Set<String> taken;

    CodeNames(Collection<String> reserved) {
        taken = new HashSet<>(reserved);
    }

    /** The name, with as many underscores after it as it takes to be new. */
    String take(String wanted) {
        String name = wanted;
        while (!taken.add(name)) {
            name += "_";
        }
        return name;
    }

    /** {@code friends_of} as {@code FriendsOf}. */
    static String type(String name) {
        StringBuilder type = new StringBuilder();
        for (String word : name.split("_", -1)) {
            if (!word.isEmpty()) {
                type.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
            }
        }
        return type.isEmpty() || !Character.isLetter(type.charAt(0)) ? "Query" + type : type.toString();
    }

    /** {@code friends_of} as {@code friendsOf}. */
    static String member(String name) {
        String type = type(name);
        return type.substring(0, 1).toLowerCase(Locale.ROOT) + type.substring(1);
    }
}
