package service.cli.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import service.cli.boot.ClientConfig;
import service.cli.client.CommandFailure;

/** The operator's short names of stored reads: {@code aliases} of config.yaml. A command of the program goes before. */
final class Aliases {
    private static final List<String> ADDRESS = List.of("server", "cluster", "profile", "graph", "format");

    private Aliases() {}

    /**
     * The arguments of the {@code query} that an alias means; the arguments themselves where the first is no alias.
     *
     * @param commands the names of the program's commands
     */
    static String[] expand(String[] arguments, Collection<String> commands, ClientConfig config) {
        if (arguments.length == 0 || arguments[0].startsWith("-") || commands.contains(arguments[0])) {
            return arguments;
        }
        Map<?, ?> alias = config.alias(arguments[0]);
        if (alias == null) {
            return arguments;
        }
        List<String> names = names(alias);
        List<String> rest = Arrays.asList(arguments).subList(1, arguments.length);
        if (rest.contains("--help") || rest.contains("-h")) {
            return new String[] {"query", "--help"};
        }
        if (rest.size() < names.size()
                || rest.subList(0, names.size()).stream().anyMatch(word -> word.startsWith("--"))) {
            throw CommandFailure.usage(
                    "give `%s` its arguments: service %s".formatted(arguments[0], usage(arguments[0], alias)));
        }
        List<String> words = new ArrayList<>(List.of("query", query(arguments[0], alias)));
        if (alias.get("params") instanceof Map<?, ?> params) {
            params.forEach((name, value) -> words.addAll(List.of("-p", name + "=" + value)));
        }
        for (int i = 0; i < names.size(); i++) {
            words.addAll(List.of("-p", names.get(i) + "=" + rest.get(i)));
        }
        List<String> options = rest.subList(names.size(), rest.size());
        for (String key : ADDRESS) {
            Object value = alias.get(key);
            boolean replaced = isGiven(options, "--" + key) || (key.equals("format") && options.contains("--json"));
            if (value != null && !replaced) {
                words.addAll(List.of("--" + key, value.toString()));
            }
        }
        words.addAll(options);
        return words.toArray(String[]::new);
    }

    private static boolean isGiven(List<String> options, String name) {
        return options.stream().anyMatch(option -> option.equals(name) || option.startsWith(name + "="));
    }

    /** The names of all aliases. */
    static List<String> names(ClientConfig config) {
        return config.aliases().keySet().stream().map(Object::toString).toList();
    }

    /** How an alias is typed, such as {@code who NAME}. */
    static String usage(String name, Map<?, ?> alias) {
        StringBuilder usage = new StringBuilder(name);
        names(alias).forEach(argument -> usage.append(' ').append(argument.toUpperCase(Locale.ROOT)));
        return usage.toString();
    }

    /** The stored query of an alias. */
    static String query(String name, Map<?, ?> alias) {
        Object query = alias.get("query");
        if (query == null) {
            throw CommandFailure.usage(
                    "alias `" + name + "` of config.yaml names no query; add aliases." + name + ".query");
        }
        return query.toString();
    }

    private static List<String> names(Map<?, ?> alias) {
        return alias.get("args") instanceof List<?> names
                ? names.stream().map(Object::toString).toList()
                : List.of();
    }
}
