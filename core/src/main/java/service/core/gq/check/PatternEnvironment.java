package service.core.gq.check;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.ExpressionSyntax.MetaField;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.text.Span;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.ValueType;

/** The names of a read: the variables of a scope and, in {@code order}, the aliases of the columns. */
final class PatternEnvironment implements Environment {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final Scope scope;
    private final Map<String, Expression.OutputOf> aliases;
    private final Names names;

    PatternEnvironment(Catalog catalog, QueryFindings findings, ParameterTable parameters, Scope scope, Names names) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
        this.scope = scope;
        this.aliases = names.aliases;
        this.names = names;
    }

    /**
     * What an expression may name besides variables.
     *
     * @param aliases of the columns
     * @param values receives the blocks that stand as values; null where none may
     * @param declared the blocks whose variables are declared already; null for none
     * @param fusions receives the fused rankings; null where they may not stand
     */
    record Names(
            Map<String, Expression.OutputOf> aliases,
            @Nullable BlockValues values,
            @Nullable BlockScope declared,
            @Nullable Fusions fusions) {}

    /** Receives the fused rankings; null where they may not stand. */
    @Nullable
    Fusions fusions() {
        return names.fusions;
    }

    @Override
    public Expression block(ExpressionSyntax.BlockValue block, @Nullable ChoiceGuard guard) {
        BlockValues values = names.values;
        if (values == null) {
            throw findings.refuse(
                    "T32",
                    block.span(),
                    "a block cannot stand in a statement",
                    "bind its value in a `with` before: `with { $x, count { … } as $n }`");
        }
        return values.of(block, names.declared == null ? null : names.declared.innerOf(block), guard);
    }

    @Override
    public @Nullable Expression ofPath(ExpressionSyntax.Call call) {
        if (call.arguments().size() != 1
                || !(call.arguments().getFirst() instanceof ExpressionSyntax.Dollar dollar)
                || parameters.has(dollar.name())) {
            return null;
        }
        Scope.Variable variable = scope.find(dollar.name());
        Scope.Facets facets = variable == null ? null : variable.slot.facets;
        if (facets == null) {
            return null;
        }
        find(dollar);
        return switch (call.function()) {
            case LENGTH -> new Expression.ValueOf(facets.length().number, PropertyType.I64);
            case COST -> new Expression.ValueOf(facets.cost().number, PropertyType.F64);
            default -> null;
        };
    }

    @Override
    public Expression variable(ExpressionSyntax.Dollar dollar) {
        Scope.Variable variable = find(dollar);
        if (variable.types == null && variable.slot.value == null) {
            // A path whose edges were refused already.
            throw findings.silent();
        }
        return read(variable);
    }

    /** The entity or the value that a variable is bound to. */
    static Expression read(Scope.Variable variable) {
        ValueType value = variable.slot.value;
        return value != null
                ? new Expression.ValueOf(variable.slot.number, value)
                : new Expression.EntityOf(variable.slot.number, variable.entityType());
    }

    @Override
    public @Nullable Expression value(String name) {
        Scope.Variable variable = scope.find(name);
        ValueType value = variable == null ? null : variable.slot.value;
        return variable == null || value == null ? null : new Expression.ValueOf(variable.slot.number, value);
    }

    @Override
    public boolean isRanking(String name) {
        Scope.Variable variable = scope.find(name);
        return variable != null && variable.slot.isRanking;
    }

    /** A property in all types that a variable was declared with, by type. The variable has it. */
    Map<Integer, Property> collection(ExpressionSyntax.Dollar dollar, String name) {
        Scope.Variable variable = find(dollar);
        Map<Integer, Property> collection = new TreeMap<>();
        for (int type :
                variable.seenAs != null ? variable.seenAs.implementers() : Objects.requireNonNull(variable.types)) {
            collection.put(
                    type, Objects.requireNonNull(catalog.requireType(type).property(name)));
        }
        return collection;
    }

    @Override
    public List<Expression> rowIds() {
        return scope.ofRow().stream()
                .<Expression>map(slot -> new Expression.IdOf(slot.number))
                .toList();
    }

    @Override
    public boolean isVariable(String name) {
        return scope.find(name) != null;
    }

    @Override
    public Expression.PropertyOf propertyOf(ValueType.Entity entity, String text, String name, Span nameSpan) {
        Scope.Slot slot = new Scope.Slot(text.startsWith("$") ? text.substring(1) : text, entity.kind(), 0);
        Scope.Variable variable = new Scope.Variable(slot, false);
        variable.types = new TreeSet<>(entity.types());
        return propertyOf(variable, name, nameSpan);
    }

    /** The entity that a variable is bound to. */
    Scope.Variable entity(ExpressionSyntax.Dollar dollar, Span span) {
        Scope.Variable variable = find(dollar);
        if (variable.slot.value instanceof ValueType.Path) {
            throw findings.refuse(
                    "T32",
                    span,
                    "`" + variable.shown() + "` is a path, not an entity",
                    "its nodes and edges are `nodes(" + variable.shown() + ")` and `edges(" + variable.shown()
                            + ")`: take one in the match, as in `for $x in edges(" + variable.shown() + ")`");
        }
        if (variable.slot.value != null) {
            throw findings.refuse(
                    "T4",
                    span,
                    "`" + variable.shown() + "` is a value of type " + variable.slot.value + " and has no properties",
                    "keep the entity in `with` to ask for its properties later: `with { $x, … }`");
        }
        return variable;
    }

    private Scope.Variable find(ExpressionSyntax.Dollar dollar) {
        Scope.Variable variable = scope.find(dollar.name());
        if (variable == null) {
            Span with = scope.droppedBy(dollar.name());
            if (with != null) {
                throw findings.refuse(
                        "T31",
                        dollar.span(),
                        "`$" + dollar.name() + "` is not visible here: the `with` in line " + findings.line(with)
                                + " leaves it out",
                        "name it there: `with { $" + dollar.name() + ", … }`");
            }
            if (scope.isOfStep(dollar.name())) {
                throw findings.refuse(
                        "T32",
                        dollar.span(),
                        "`$" + dollar.name() + "` is a variable of a step and is known within its braces only",
                        "bind the path to ask for its nodes and edges: `$a $p:knows{1,6} $b`, then `nodes($p)`");
            }
            Set<String> known = new LinkedHashSet<>(scope.names());
            known.addAll(parameters.names());
            known.removeIf(name -> name.startsWith("#"));
            throw findings.refuse(
                    "T6",
                    dollar.span(),
                    "the variable `$" + dollar.name() + "` is not bound",
                    QueryFindings.nearVariable(
                            dollar.name(),
                            known,
                            "bind it in `match`, such as `$"
                                    + dollar.name()
                                    + ": Type`, or declare it as a parameter; what `not`, `exists` and `count` bind is"
                                    + " not visible outside"));
        }
        BlockScope.StepScope.refuseUnknown(scope, variable, dollar.span(), findings);
        if (variable.types == null && variable.slot.value == null && variable.slot.facets == null) {
            // Its binding was refused already; one finding is enough.
            throw findings.silent();
        }
        return variable;
    }

    @Override
    public Expression property(ExpressionSyntax.Property property) {
        rejectParameter(property.subject(), property.span());
        Scope.Variable variable = find(property.subject());
        return propertyOf(variable, property.name(), property.nameSpan());
    }

    /** Resolves a property of a variable by name. Notes T2 when its types do not have it, T24 when it is a Blob. */
    Expression.PropertyOf propertyOf(Scope.Variable variable, String name, Span span) {
        Expression.PropertyOf known = variable.properties.get(name);
        if (known != null) {
            return known;
        }
        Set<Integer> types = variable.types;
        if (types == null) {
            // The variable is a path, and its traversal was refused already; one finding is enough.
            throw findings.silent();
        }
        Map<Integer, Integer> identities = new TreeMap<>();
        PropertyType type = null;
        Set<String> offered = offered(variable);
        for (int identity : types) {
            Property property = catalog.requireType(identity).property(name);
            if (property == null || !offered.contains(name)) {
                throw unknownProperty(variable, name, span, offered);
            }
            if (type != null && !type.equals(property.type())) {
                throw findings.refuse(
                        "T2",
                        span,
                        "`" + name + "` is not of the same type in all types of `" + variable.shown() + "`",
                        "follow the types one at a time");
            }
            type = property.type();
            identities.put(identity, property.identity());
        }
        if (type == null) {
            throw findings.silent();
        }
        if (isBlob(type)) {
            throw findings.refuse(
                    "T24",
                    span,
                    "`" + name + "` is a Blob and cannot be read in GQ",
                    "fetch its bytes over the blob route, or from an export");
        }
        Expression.PropertyOf resolved = new Expression.PropertyOf(variable.slot.number, name, identities, type);
        variable.properties.put(name, resolved);
        return resolved;
    }

    static boolean isBlob(PropertyType type) {
        return (type instanceof PropertyType.Scalar scalar && scalar.scalar() == ScalarType.BLOB)
                || (type instanceof PropertyType.ListOf list && list.item() == ScalarType.BLOB);
    }

    private Set<String> offered(Scope.Variable variable) {
        Set<String> offered = variable.offered;
        if (offered == null) {
            offered = namesOf(variable);
            variable.offered = offered;
        }
        return offered;
    }

    private Set<String> namesOf(Scope.Variable variable) {
        if (variable.seenAs != null) {
            Set<String> names = new LinkedHashSet<>();
            variable.seenAs.properties().forEach(property -> names.add(property.name()));
            return names;
        }
        Set<String> names = null;
        for (int identity : Objects.requireNonNull(variable.types)) {
            Set<String> own = new LinkedHashSet<>();
            catalog.requireType(identity).properties().forEach(property -> own.add(property.name()));
            if (names == null) {
                names = own;
            } else {
                names.retainAll(own);
            }
        }
        return names == null ? Set.of() : names;
    }

    private QueryFindings.Refused unknownProperty(
            Scope.Variable variable, String name, Span span, Set<String> offered) {
        String subject;
        String fallback;
        String now = null;
        if (variable.seenAs != null) {
            subject = "the interface `" + variable.seenAs.name() + "`";
            fallback = "properties of one node type are offered once the variable is bound to that type";
        } else {
            List<EntityType> types = Objects.requireNonNull(variable.types).stream()
                    .map(catalog::requireType)
                    .toList();
            String kind = types.getFirst().kind() == EntityKind.NODE ? "node type" : "edge type";
            subject = kind + " `" + types.getFirst().name() + "`";
            if (types.size() > 1) {
                subject = "not every type of `" + variable.shown() + "`";
            }
            fallback = offered.isEmpty() ? "it has no properties" : "it has " + String.join(", ", offered);
            now = QueryFindings.renamed(name, types.getFirst().properties());
        }
        String verb = subject.startsWith("not every") ? " has a property `" : " has no property `";
        String metaHint = List.of("id", "type", "src", "dst", "from", "to").contains(name) && !offered.contains(name)
                ? "write `" + variable.shown() + ".@" + metaName(name) + "`"
                : now;
        return findings.refuse(
                "T2",
                span,
                subject + verb + name + "`",
                metaHint != null ? metaHint : QueryFindings.nearOr(name, offered, fallback));
    }

    private static String metaName(String name) {
        return switch (name) {
            case "from" -> "src";
            case "to" -> "dst";
            default -> name;
        };
    }

    private void rejectParameter(ExpressionSyntax.Dollar subject, Span span) {
        if (parameters.has(subject.name())) {
            throw findings.refuse(
                    "T4",
                    span,
                    "`$" + subject.name() + "` is a parameter and has no properties",
                    "give the parameter or the variable another name");
        }
    }

    @Override
    public Expression meta(ExpressionSyntax.Meta meta) {
        rejectParameter(meta.subject(), meta.span());
        Scope.Variable variable = find(meta.subject());
        int slot = variable.slot.number;
        boolean edge = variable.slot.kind == EntityKind.EDGE;
        if (!edge && meta.field().isOfEnd()) {
            throw findings.refuse(
                    "T2",
                    meta.span(),
                    "`" + variable.shown() + "` is a node and has no "
                            + meta.field().text(),
                    "bind the edge: `$a $w:knows $b`, then `$w." + meta.field().text() + "`");
        }
        return ofField(slot, meta.field());
    }

    static Expression ofField(int slot, MetaField field) {
        return switch (field) {
            case ID -> new Expression.IdOf(slot);
            case TYPE -> new Expression.TypeOf(slot);
            case SRC -> new Expression.EndOf(slot, Direction.OUT);
            case DST -> new Expression.EndOf(slot, Direction.IN);
            case SRC_TYPE -> new Expression.EndTypeOf(slot, Direction.OUT, Map.of());
            case DST_TYPE -> new Expression.EndTypeOf(slot, Direction.IN, Map.of());
        };
    }

    @Override
    public Expression ownMeta(ExpressionSyntax.OwnMeta meta) {
        throw findings.refuse(
                "T6",
                meta.span(),
                "`" + meta.field().text() + "` of what?",
                "name the variable: `$x." + meta.field().text() + "`");
    }

    @Override
    public Expression word(ExpressionSyntax.Word word) {
        Expression.OutputOf output = aliases.get(word.name());
        if (output != null) {
            return output;
        }
        throw findings.refuse(
                "T6",
                word.span(),
                aliases.isEmpty()
                        ? "`" + word.name() + "` is neither a variable nor a literal"
                        : "there is no column named `" + word.name() + "`",
                wordHint(word.name()));
    }

    @Override
    public @Nullable Expression alias(String name) {
        return aliases.get(name);
    }

    private @Nullable String wordHint(String name) {
        if (!aliases.isEmpty()) {
            return QueryFindings.nearOr(
                    name, aliases.keySet(), "the aliases are " + String.join(", ", aliases.keySet()));
        }
        return scope.find(name) != null || parameters.has(name)
                ? "variables and parameters are written with a dollar sign: `$" + name + "`"
                : "write `$x." + name + "` for a property, `\"" + name + "\"` for a string";
    }
}
