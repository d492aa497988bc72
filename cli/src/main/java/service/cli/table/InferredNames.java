package service.cli.table;

import java.text.Normalizer;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Names of a schema for the names of files and columns: the same one where it is allowed. One thread. */
final class InferredNames {
    private static final Pattern TYPE = Pattern.compile("[A-Z][A-Za-z0-9_]*");
    private static final Pattern PROPERTY = Pattern.compile("[a-z_][A-Za-z0-9_]*");
    private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9]+");
    private static final Set<String> RESERVED = Set.of("id", "src", "dst", "from", "to");
    private static final int LENGTH_MAX = 200;

    private final Set<String> taken = new HashSet<>();

    /** A name of a type, which no earlier one has in any spelling. */
    String type(String file) {
        String name = file;
        if (!TYPE.matcher(file).matches() || file.length() > LENGTH_MAX) {
            StringBuilder joined = new StringBuilder();
            for (String part : OTHERS.split(plain(file), -1)) {
                if (!part.isEmpty()) {
                    joined.append(Character.toUpperCase(part.charAt(0))).append(part, 1, part.length());
                }
            }
            boolean begins = !joined.isEmpty() && joined.charAt(0) >= 'A';
            name = begins ? joined.toString() : "Type" + joined;
        }
        return free(name);
    }

    /** A name of a property, which no earlier one has. */
    String property(String header) {
        if (PROPERTY.matcher(header).matches() && header.length() <= LENGTH_MAX && !header.startsWith("__")) {
            return free(RESERVED.contains(header) ? header + "_" : header);
        }
        String plain = plain(header);
        boolean shouts = plain.equals(plain.toUpperCase(Locale.ROOT));
        String name = String.join(
                "_",
                OTHERS.splitAsStream(plain)
                        .filter(part -> !part.isEmpty())
                        .map(part -> shouts || OTHERS.matcher(plain).find() ? part.toLowerCase(Locale.ROOT) : part)
                        .toList());
        if (name.isEmpty()) {
            name = "column";
        }
        char first = name.charAt(0);
        name = first >= '0' && first <= '9' ? "_" + name : Character.toLowerCase(first) + name.substring(1);
        return free(RESERVED.contains(name) ? name + "_" : name);
    }

    /** Without accents, and not too long. */
    private static String plain(String text) {
        String plain = Normalizer.normalize(text, Normalizer.Form.NFD).replaceAll("\\p{M}", "");
        return plain.length() > LENGTH_MAX ? plain.substring(0, LENGTH_MAX) : plain;
    }

    private String free(String name) {
        String free = name;
        for (int i = 2; !taken.add(free.toLowerCase(Locale.ROOT)); i++) {
            free = name + i;
        }
        return free;
    }
}
