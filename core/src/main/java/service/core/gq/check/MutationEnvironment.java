package service.core.gq.check;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.text.Span;
import service.core.value.EntityKind;
import service.core.value.ValueType;

/** The names of a statement: the properties of the current entity, and the variables of the current row. */
final class MutationEnvironment implements Environment {
    /** The current entity, whose properties are named alone. */
    sealed interface Own {}

    /** What a predicate finds; it is in slot 0. */
    record OfType(EntityType type) implements Own {}

    /** What a variable is bound to. */
    record OfVariable(Scope.Variable variable) implements Own {}

    private final QueryFindings findings;
    private final ParameterTable parameters;

    /** Null in an insert, which has no entity yet. */
    private final @Nullable Own own;

    private final boolean predicate;
    private final StatementScope scope;

    MutationEnvironment(
            QueryFindings findings,
            ParameterTable parameters,
            @Nullable Own own,
            boolean predicate,
            StatementScope scope) {
        this.findings = findings;
        this.parameters = parameters;
        this.own = own;
        this.predicate = predicate;
        this.scope = scope;
    }

    /** Whether these are the names of an insert. */
    boolean isOfInsert() {
        return own == null;
    }

    @Override
    public Expression variable(ExpressionSyntax.Dollar dollar) {
        scope.rejectRecord(dollar);
        if (!scope.isEmpty()) {
            return names(dollar.span()).variable(dollar);
        }
        throw findings.refuse(
                "T14",
                dollar.span(),
                "the parameter `$" + dollar.name() + "` is not declared",
                QueryFindings.nearVariable(
                        dollar.name(),
                        parameters.names(),
                        "declare it after the name of the query: `($" + dollar.name() + ": String)`"));
    }

    /** The variables of the statement. */
    private PatternEnvironment names(Span span) {
        if (predicate) {
            throw findings.refuse(
                    "T6",
                    span,
                    "a predicate after `where` has no variables, so `" + findings.text(span) + "` means nothing",
                    "bind the entity in the match and write `update $x set { … }` or `delete $x`");
        }
        if (own instanceof OfType(EntityType type) && scope.hasMatch()) {
            throw findings.refuse(
                    "T6",
                    span,
                    "a statement with `where` runs once, not for each row of the match, so `" + findings.text(span)
                            + "` means nothing",
                    "bind the `" + type.name() + "` in the match and write `update $x set { … }`");
        }
        return scope.names();
    }

    @Override
    public Expression property(ExpressionSyntax.Property property) {
        Expression field = predicate ? null : scope.field(property);
        if (field != null) {
            return field;
        }
        if (!scope.isEmpty()) {
            return names(property.span()).property(property);
        }
        throw noVariables(property.span(), property.name());
    }

    @Override
    public Expression meta(ExpressionSyntax.Meta meta) {
        if (!scope.isEmpty()) {
            Expression read = names(meta.span()).meta(meta);
            return scope.named(read, scope.entity(meta.subject()).types, meta.span());
        }
        throw noVariables(meta.span(), meta.field().text());
    }

    private QueryFindings.Refused noVariables(Span span, String alone) {
        return findings.refuse(
                "T6",
                span,
                "no variable is bound, so `" + findings.text(span) + "` means nothing",
                own == null
                        ? "pass the value as a parameter, or bind the variable in a match before the statement"
                        : "write `" + alone + "` alone");
    }

    @Override
    public Expression ownMeta(ExpressionSyntax.OwnMeta meta) {
        Own entity = require(meta.span(), meta.field().text());
        boolean isNode = switch (entity) {
            case OfType(EntityType type) -> type.kind() == EntityKind.NODE;
            case OfVariable(Scope.Variable variable) -> variable.slot.kind == EntityKind.NODE;
        };
        if (meta.field().isOfEnd() && isNode) {
            throw findings.refuse(
                    "T2",
                    meta.span(),
                    switch (entity) {
                        case OfType(EntityType type) ->
                            "node type `" + type.name() + "` has no "
                                    + meta.field().text();
                        case OfVariable(Scope.Variable variable) ->
                            "`" + variable.shown() + "` is a node and has no "
                                    + meta.field().text();
                    },
                    "only edges have ends");
        }
        Expression read = PatternEnvironment.ofField(slotOf(entity), meta.field());
        return switch (entity) {
            case OfType(EntityType type) -> scope.named(read, Set.of(type.identity()), meta.span());
            case OfVariable(Scope.Variable variable) -> scope.named(read, variable.types, meta.span());
        };
    }

    private static int slotOf(Own entity) {
        return entity instanceof OfVariable(Scope.Variable variable) ? variable.slot.number : 0;
    }

    @Override
    public Expression word(ExpressionSyntax.Word word) {
        return switch (require(word.span(), word.name())) {
            case OfType(EntityType type) -> {
                Property property = property(type, word.name(), word.span(), findings);
                if (PatternEnvironment.isBlob(property.type())) {
                    throw findings.refuse(
                            predicate ? "T11" : "T24",
                            word.span(),
                            "`" + word.name() + "` is a Blob and cannot be " + (predicate ? "compared" : "read in GQ"),
                            "choose the entities by `@id` or another property");
                }
                yield new Expression.PropertyOf(
                        0, word.name(), Map.of(type.identity(), property.identity()), property.type());
            }
            case OfVariable(Scope.Variable variable) -> scope.names().propertyOf(variable, word.name(), word.span());
        };
    }

    @Override
    public Expression block(ExpressionSyntax.BlockValue block, @Nullable ChoiceGuard guard) {
        names(block.span());
        return scope.block(block);
    }

    @Override
    public @Nullable Expression alias(String name) {
        return null;
    }

    private Own require(Span span, String name) {
        if (own == null) {
            throw findings.refuse(
                    "T6",
                    span,
                    "`" + name + "`: an insert has no old values",
                    "give a literal, a parameter or `now()`; a string is written in double quotes");
        }
        return own;
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
        return predicate ? null : scope.names().value(variable);
    }

    @Override
    public boolean isVariable(String name) {
        return scope.names().isVariable(name);
    }

    @Override
    public Expression.PropertyOf propertyOf(ValueType.Entity entity, String text, String name, Span nameSpan) {
        return scope.names().propertyOf(entity, text, name, nameSpan);
    }
}
