package service.cli.table;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;

/**
 * What the columns of a file mean: a place in the list is that of the column, null for one that is passed over.
 *
 * @param type of the rows
 */
record TableColumns(EntityType type, List<@Nullable Role> roles) {
    static final String ID = "@id";
    static final String SOURCE = "@src";
    static final String DESTINATION = "@dst";
    static final String SOURCE_TYPE = "@src_type";
    static final String DESTINATION_TYPE = "@dst_type";

    /** What a column holds. */
    sealed interface Role {
        /** A property. */
        record Of(Property property) implements Role {}

        /** An id, or what else {@code @…} names. */
        record Fixed(String name) implements Role {}
    }

    /**
     * Finds the meaning of each column.
     *
     * @param names of other columns than those of the type, and what they are called in the schema
     * @param ignoreExtra whether columns that mean nothing are passed over
     */
    static TableColumns of(
            String file, EntityType type, List<String> columns, Map<String, String> names, boolean ignoreExtra) {
        List<@Nullable Role> roles = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (String column : columns) {
            String name = names.getOrDefault(column, column);
            Role role = role(type, name);
            if (role == null && !ignoreExtra) {
                String meant = Suggestion.didYouMean(name, known(type));
                throw new TableFault("%s: %s has no property `%s`; %s"
                        .formatted(
                                file,
                                type.name(),
                                name,
                                meant != null
                                        ? meant
                                        : "pass over such columns with --ignore-extra, or name them with --map"));
            }
            if (role != null && !seen.add(canonical(role))) {
                throw new TableFault("%s: two columns are `%s`".formatted(file, name));
            }
            roles.add(role);
        }
        if (type.kind() == EntityKind.EDGE) {
            for (String end : List.of(SOURCE, DESTINATION)) {
                if (!seen.contains(end)) {
                    throw new TableFault(
                            "%s: the edge %s needs the columns @src and @dst, the ids of its ends; there is no %s"
                                    .formatted(file, type.name(), end));
                }
            }
        }
        return new TableColumns(type, roles);
    }

    /** Whether a load knows a header as what {@code @…} names. */
    static boolean isKnown(String header, String fixed) {
        return header.equals(fixed)
                || switch (fixed) {
                    case ID -> header.equals("id");
                    case SOURCE -> header.equals("from");
                    case DESTINATION -> header.equals("to");
                    default -> false;
                };
    }

    /** The column of an id or an end; −1 where there is none. */
    int place(String fixed) {
        return roles.indexOf(new Role.Fixed(fixed));
    }

    private static String canonical(Role role) {
        return switch (role) {
            case Role.Of(Property property) -> property.name();
            case Role.Fixed(String name) -> name;
        };
    }

    private static @Nullable Role role(EntityType type, String name) {
        Property property = type.property(name);
        if (property != null) {
            return new Role.Of(property);
        }
        boolean edge = type.kind() == EntityKind.EDGE;
        for (String fixed : edge ? List.of(ID, SOURCE, DESTINATION, SOURCE_TYPE, DESTINATION_TYPE) : List.of(ID)) {
            if (isKnown(name, fixed)) {
                return new Role.Fixed(fixed);
            }
        }
        return null;
    }

    private static List<String> known(EntityType type) {
        List<String> known =
                new ArrayList<>(type.properties().stream().map(Property::name).toList());
        known.add(ID);
        if (type.kind() == EntityKind.EDGE) {
            known.addAll(List.of(SOURCE, DESTINATION));
        }
        return known;
    }
}
