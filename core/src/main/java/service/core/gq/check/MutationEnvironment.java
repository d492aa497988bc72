package service.core.gq.check;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.ExpressionSyntax.MetaField;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.text.Span;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.ValueType;

/** The names of a mutation: the properties of the current entity, which is in slot 0. */
final class MutationEnvironment implements Environment {
    private final QueryFindings findings;
    private final ParameterTable parameters;

    /** Null in an insert, which has no entity yet. */
    private final @Nullable EntityType type;

    private final boolean predicate;

    MutationEnvironment(
            QueryFindings findings, ParameterTable parameters, @Nullable EntityType type, boolean predicate) {
        this.findings = findings;
        this.parameters = parameters;
        this.type = type;
        this.predicate = predicate;
    }

    @Override
    public Expression variable(ExpressionSyntax.Dollar dollar) {
        throw findings.refuse(
                "T14",
                dollar.span(),
                "the parameter `$" + dollar.name() + "` is not declared",
                QueryFindings.nearVariable(
                        dollar.name(),
                        parameters.names(),
                        "declare it after the name of the query: `($" + dollar.name() + ": String)`"));
    }

    @Override
    public Expression property(ExpressionSyntax.Property property) {
        throw findings.refuse(
                "T6",
                property.span(),
                "a mutation has no variables, so `" + findings.text(property.span()) + "` means nothing",
                type == null ? "pass the value as a parameter" : "name the property alone: `" + property.name() + "`");
    }

    @Override
    public Expression meta(ExpressionSyntax.Meta meta) {
        throw findings.refuse(
                "T6",
                meta.span(),
                "a mutation has no variables, so `" + findings.text(meta.span()) + "` means nothing",
                type == null
                        ? "pass the value as a parameter"
                        : "write `" + meta.field().text() + "` alone");
    }

    @Override
    public Expression ownMeta(ExpressionSyntax.OwnMeta meta) {
        EntityType entity = require(meta.span(), meta.field().text());
        if (meta.field().isOfEnd() && entity.kind() == EntityKind.NODE) {
            throw findings.refuse(
                    "T2",
                    meta.span(),
                    "node type `" + entity.name() + "` has no " + meta.field().text(),
                    "only edges have ends");
        }
        boolean ofType = meta.field() == MetaField.SRC_TYPE || meta.field() == MetaField.DST_TYPE;
        return ofType && entity instanceof EntityType.EdgeType edge
                ? endType(edge, meta.field() == MetaField.SRC_TYPE ? Direction.OUT : Direction.IN)
                : PatternEnvironment.ofField(0, meta.field());
    }

    private static Expression endType(EntityType.EdgeType edge, Direction direction) {
        EdgeEnd end = edge.near(direction);
        Map<Integer, String> names = new HashMap<>();
        end.types().forEach(type -> names.put(end.stored(type.identity()), type.name()));
        return new Expression.EndTypeOf(0, direction, Map.copyOf(names));
    }

    @Override
    public Expression word(ExpressionSyntax.Word word) {
        EntityType entity = require(word.span(), word.name());
        Property property = property(entity, word.name(), word.span(), findings);
        if (PatternEnvironment.isBlob(property.type())) {
            throw findings.refuse(
                    predicate ? "T11" : "T24",
                    word.span(),
                    "`" + word.name() + "` is a Blob and cannot be " + (predicate ? "compared" : "read in GQ"),
                    "choose the entities by `@id` or another property");
        }
        return new Expression.PropertyOf(
                0, word.name(), Map.of(entity.identity(), property.identity()), property.type());
    }

    @Override
    public @Nullable Expression alias(String name) {
        return null;
    }

    private EntityType require(Span span, String name) {
        if (type == null) {
            throw findings.refuse(
                    "T6",
                    span,
                    "`" + name + "`: an insert has no old values",
                    "give a literal, a parameter or `now()`; a string is written in double quotes");
        }
        return type;
    }

    /** The property of that name; notes T2 when there is none. */
    static Property property(EntityType type, String name, Span span, QueryFindings findings) {
        Property property = type.property(name);
        if (property != null) {
            return property;
        }
        Set<String> known = new LinkedHashSet<>();
        type.properties().forEach(each -> known.add(each.name()));
        String hint = switch (name) {
            case "id" -> "ids are given by the key or by the server; ask for one with `@id`";
            case "src", "dst" -> "write `@" + name + "`";
            case "from" -> "write `@src`";
            case "to" -> "write `@dst`";
            default -> {
                String now = QueryFindings.renamed(name, type.properties());
                yield now != null
                        ? now
                        : QueryFindings.nearOr(
                                name,
                                List.copyOf(known),
                                known.isEmpty() ? "it has no properties" : "it has " + String.join(", ", known));
            }
        };
        throw findings.refuse(
                "T2",
                span,
                type.kind().wireName() + " type `" + type.name() + "` has no property `" + name + "`",
                hint);
    }

    @Override
    public @Nullable Expression value(String variable) {
        return null;
    }

    @Override
    public boolean isVariable(String name) {
        return false;
    }

    @Override
    public Expression.PropertyOf propertyOf(ValueType.Entity entity, String text, String name, Span nameSpan) {
        throw new IllegalStateException("a mutation has no entities in values");
    }
}
