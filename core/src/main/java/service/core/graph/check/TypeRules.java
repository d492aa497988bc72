package service.core.graph.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.schema.TextPattern;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.ShortestDecimal;
import service.core.value.Value;
import service.core.value.ValueConversion;
import service.core.value.ValueOrder;
import service.core.value.VisibleText;

/** The prepared constraints of one type that apply to a single entity. Immutable. */
final class TypeRules {
    /** A property with the conditions on its values. */
    private record PropertyRule(
            Property property, int tag, List<Constraint.Range> ranges, List<TextPattern> checks, boolean examined) {
        /** Whether the only condition is the width of a number. */
        boolean onlyWidth() {
            return (tag == PropertyRow.TAG_INT || tag == PropertyRow.TAG_REAL) && ranges.isEmpty() && checks.isEmpty();
        }

        /** Whether the value, which has this rule's tag, is too wide a number for the type. */
        boolean isWide(PropertyRow row, int at) {
            return property.type() instanceof PropertyType.Scalar scalar && !fitsWidth(scalar.scalar(), row.longAt(at));
        }

        /** @param bits of the number */
        private static boolean fitsWidth(ScalarType type, long bits) {
            return switch (type) {
                case I32 -> bits == (int) bits;
                case U32 -> bits >= 0 && bits <= 0xFFFF_FFFFL;
                case F32 -> fitsF32(Double.longBitsToDouble(bits));
                case I64, U64, F64, STRING, BOOL, DATE, DATETIME, BLOB -> true;
            };
        }

        /**
         * Whether a value has another form than this rule's because it does not fit the type: an integer with the wrong
         * sign or too large for I64, a list that is no vector of those dimensions. The checker of types excludes values
         * of other families.
         */
        boolean isMisfit(int given) {
            return switch (tag) {
                case PropertyRow.TAG_INT -> given == PropertyRow.TAG_UINT;
                case PropertyRow.TAG_UINT -> given == PropertyRow.TAG_INT;
                case PropertyRow.TAG_VECTOR -> given == PropertyRow.TAG_LIST;
                default -> false;
            };
        }
    }

    final EntityType type;

    /** The unique indexes except the key's, which the ids guarantee. */
    final List<IndexDefinition> unique;

    /** Ascending by identity. */
    private final PropertyRule[] rules;

    TypeRules(EntityType type) {
        this.type = type;
        List<Property> properties = new ArrayList<>(type.properties());
        properties.sort(Comparator.comparingInt(Property::identity));
        rules = properties.stream().map(property -> rule(type, property)).toArray(PropertyRule[]::new);
        unique = type.indexes().stream()
                .filter(index -> index.unique() && !type.isKey(index))
                .toList();
    }

    private static PropertyRule rule(EntityType type, Property property) {
        List<Constraint.Range> ranges = new ArrayList<>();
        List<TextPattern> checks = new ArrayList<>();
        for (Constraint constraint : type.constraints()) {
            switch (constraint) {
                case Constraint.Range range when range.property() == property.identity() -> ranges.add(range);
                case Constraint.Check check
                when check.property() == property.identity() -> checks.add(TextPattern.stored(check.pattern()));
                case Constraint.Range ignored -> {}
                case Constraint.Check ignored -> {}
                case Constraint.Unique ignored -> {}
            }
        }
        boolean plain = property.type() instanceof PropertyType.Scalar scalar
                && scalar.scalar() != ScalarType.I32
                && scalar.scalar() != ScalarType.U32
                && scalar.scalar() != ScalarType.F32;
        return new PropertyRule(
                property, tag(property.type()), ranges, checks, !plain || !ranges.isEmpty() || !checks.isEmpty());
    }

    private static int tag(PropertyType type) {
        return switch (type) {
            case PropertyType.EnumOf ignored -> PropertyRow.TAG_TEXT;
            case PropertyType.ListOf ignored -> PropertyRow.TAG_LIST;
            case PropertyType.VectorOf ignored -> PropertyRow.TAG_VECTOR;
            case PropertyType.AnyInteger any -> throw any.undeclared();
            case PropertyType.Scalar scalar ->
                switch (scalar.scalar()) {
                    case STRING -> PropertyRow.TAG_TEXT;
                    case BOOL -> PropertyRow.TAG_BOOL;
                    case I32, I64, U32 -> PropertyRow.TAG_INT;
                    case U64 -> PropertyRow.TAG_UINT;
                    case F32, F64 -> PropertyRow.TAG_REAL;
                    case DATE -> PropertyRow.TAG_DATE;
                    case DATETIME -> PropertyRow.TAG_DATETIME;
                    case BLOB -> PropertyRow.TAG_BLOB;
                };
        };
    }

    /** The violation by the families or the presence of the properties, or null. */
    @Nullable
    String typeFault(Image image) {
        PropertyRow row = image.properties();
        int n = row.size();
        int at = 0;
        for (PropertyRule rule : rules) {
            if (at < n && row.identityAt(at) < rule.property.identity()) {
                return "has a property that its type does not";
            }
            if (at < n && row.identityAt(at) == rule.property.identity()) {
                int tag = row.tagAt(at);
                boolean external = rule.tag == PropertyRow.TAG_BLOB && tag == PropertyRow.TAG_EXTERNAL_BLOB;
                if (tag != rule.tag && !external && !rule.isMisfit(tag)) {
                    return "holds a value in `" + rule.property.name() + "` that is no " + rule.property.type();
                }
                at++;
            } else if (!rule.property.nullable()) {
                return lacks(rule);
            }
        }
        return at < n ? "has a property that its type does not" : null;
    }

    private static String lacks(PropertyRule rule) {
        return "lacks a value for the required property `" + rule.property.name() + "`";
    }

    /**
     * All faults of the values of an image whose properties are of the right families; several of one property, too.
     */
    List<String> faults(Image image, IntConsumer steps) {
        List<String> found = new ArrayList<>();
        for (PropertyRule rule : rules) {
            Value value = image.properties().get(rule.property.identity());
            if (value == null) {
                if (!rule.property.nullable()) {
                    found.add(lacks(rule));
                }
            } else if (!fits(rule.property.type(), value)) {
                found.add(misfit(rule.property, value));
            } else {
                rule.ranges.stream()
                        .map(range -> fault(rule, range, value))
                        .filter(Objects::nonNull)
                        .forEach(found::add);
                rule.checks.stream()
                        .map(check -> fault(rule, check, value, steps))
                        .filter(Objects::nonNull)
                        .forEach(found::add);
            }
        }
        return found;
    }

    /** Lets memory go that the checks of this run have needed. */
    void trim() {
        for (PropertyRule rule : rules) {
            rule.checks.forEach(TextPattern::trim);
        }
    }

    /**
     * The range, check, enum or width that a value violates, or null.
     *
     * @param steps counts the work of regular expressions; may throw to end the check
     */
    @Nullable
    String valueFault(Image image, IntConsumer steps) {
        PropertyRow row = image.properties();
        int n = row.size();
        int at = 0;
        for (PropertyRule rule : rules) {
            if (at < n && row.identityAt(at) == rule.property.identity()) {
                boolean examined = rule.examined && (!rule.onlyWidth() || rule.isWide(row, at));
                String fault = examined || rule.isMisfit(row.tagAt(at)) ? fault(rule, row.valueAt(at), steps) : null;
                if (fault != null) {
                    return fault;
                }
                at++;
            }
        }
        return null;
    }

    private static @Nullable String fault(PropertyRule rule, Value value, IntConsumer steps) {
        if (!fits(rule.property.type(), value)) {
            return misfit(rule.property, value);
        }
        for (Constraint.Range range : rule.ranges) {
            String fault = fault(rule, range, value);
            if (fault != null) {
                return fault;
            }
        }
        for (TextPattern check : rule.checks) {
            String fault = fault(rule, check, value, steps);
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }

    private static @Nullable String fault(PropertyRule rule, Constraint.Range range, Value value) {
        boolean within = (range.min() == null || ValueOrder.compare(value, range.min()) >= 0)
                && (range.max() == null || ValueOrder.compare(value, range.max()) <= 0);
        return within
                ? null
                : "breaks @range("
                        + rule.property.name()
                        + ", "
                        + bound(range.min())
                        + ".."
                        + bound(range.max())
                        + ") with "
                        + bound(value);
    }

    private static @Nullable String fault(PropertyRule rule, TextPattern check, Value value, IntConsumer steps) {
        return value instanceof Value.Text text && !check.matches(text.value(), steps)
                ? "breaks @check(" + rule.property.name() + ", \"" + check.text() + "\")"
                : null;
    }

    private static String misfit(Property property, Value value) {
        String name = property.name();
        if (property.type() instanceof PropertyType.EnumOf words && value instanceof Value.Text text) {
            return "holds the word `"
                    + VisibleText.oneLine(text.value())
                    + "` in `"
                    + name
                    + "`, which must be one of "
                    + words.values().stream().sorted().collect(Collectors.joining(", "));
        }
        return switch (value) {
            case Value.Int ignored -> misfit(value, name, property.type().toString());
            case Value.UInt ignored -> misfit(value, name, property.type().toString());
            case Value.Real ignored -> misfit(value, name, property.type().toString());
            case Value.ListOf(List<Value> items) -> misfit(property, items);
            case Value.Vector(float[] items) ->
                "holds " + items.length + " numbers in `" + name + "`, which is a " + property.type();
            default -> "holds a value in `" + name + "` that is no " + property.type();
        };
    }

    private static String misfit(Value number, String name, String type) {
        return "holds " + ValueConversion.describe(number) + " in `" + name + "`, which does not fit " + type;
    }

    private static String misfit(Property property, List<Value> items) {
        String name = property.name();
        boolean isVector = property.type() instanceof PropertyType.VectorOf;
        if (property.type() instanceof PropertyType.VectorOf vector && items.size() != vector.dimensions()) {
            return "holds " + items.size() + " numbers in `" + name + "`, which is a " + property.type();
        }
        ScalarType type = property.type() instanceof PropertyType.ListOf list ? list.item() : ScalarType.F32;
        for (int i = 0; i < items.size(); i++) {
            Value item = items.get(i);
            if (item instanceof Value.Null) {
                return "holds null at index " + i + " of `" + name + "`; a stored list cannot";
            }
            // A list becomes a vector as a whole: its integers, which fit, are still integers.
            boolean fits = (isVector && !(item instanceof Value.Real)) || fitsScalar(type, item);
            if (!fits) {
                return "holds " + ValueConversion.describe(item) + " at index " + i + " of `" + name
                        + "`, which does not fit " + type.schemaName();
            }
        }
        return "holds a list in `" + name + "` that is no " + property.type();
    }

    private static boolean fits(PropertyType type, Value value) {
        return switch (type) {
            case PropertyType.EnumOf words ->
                value instanceof Value.Text text && words.values().contains(text.value());
            case PropertyType.VectorOf vector ->
                value instanceof Value.Vector given && given.items().length == vector.dimensions();
            case PropertyType.AnyInteger any -> throw any.undeclared();
            case PropertyType.ListOf list ->
                value instanceof Value.ListOf given
                        && given.items().stream().allMatch(item -> fitsScalar(list.item(), item));
            case PropertyType.Scalar scalar -> fitsScalar(scalar.scalar(), value);
        };
    }

    private static boolean fitsScalar(ScalarType type, Value value) {
        return switch (value) {
            case Value.Int v ->
                switch (type) {
                    case I32 -> v.value() == (int) v.value();
                    case U32 -> v.value() >= 0 && v.value() <= 0xFFFF_FFFFL;
                    case I64 -> true;
                    default -> false;
                };
            case Value.UInt ignored -> type == ScalarType.U64;
            case Value.Real v -> type == ScalarType.F64 || (type == ScalarType.F32 && fitsF32(v.value()));
            case Value.Text ignored -> type == ScalarType.STRING;
            case Value.Bool ignored -> type == ScalarType.BOOL;
            case Value.Date ignored -> type == ScalarType.DATE;
            case Value.DateTime ignored -> type == ScalarType.DATETIME;
            case Value.ManagedBlob ignored -> type == ScalarType.BLOB;
            case Value.ExternalBlob ignored -> type == ScalarType.BLOB;
            case Value.Null ignored -> false;
            case Value.ListOf ignored -> false;
            case Value.Vector ignored -> false;
            case Value.Computed ignored -> false;
        };
    }

    private static boolean fitsF32(double value) {
        return Math.abs(value) <= Float.MAX_VALUE;
    }

    private static String bound(@Nullable Value value) {
        return switch (value) {
            case null -> "";
            case Value.Int v -> Long.toString(v.value());
            case Value.UInt v -> Long.toUnsignedString(v.bits());
            case Value.Real v -> ShortestDecimal.of(v.value());
            case Value.Date v -> service.core.value.CalendarText.date(v.epochDay());
            case Value.DateTime v -> service.core.value.CalendarText.dateTime(v.epochMillis());
            default -> value.toString();
        };
    }

    /** Rules by type identity. */
    static Map<Integer, TypeRules> of(Catalog catalog) {
        Map<Integer, TypeRules> rules = new HashMap<>();
        catalog.nodes().forEach(node -> rules.put(node.identity(), new TypeRules(node)));
        catalog.edges().forEach(edge -> rules.put(edge.identity(), new TypeRules(edge)));
        return rules;
    }
}
