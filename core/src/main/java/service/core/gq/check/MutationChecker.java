package service.core.gq.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.gq.syntax.ClauseSyntax.Field;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.gq.syntax.GqFile.MutationSyntax;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Checks the statements of a mutation. */
final class MutationChecker {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;

    MutationChecker(Catalog catalog, QueryFindings findings, ParameterTable parameters) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
    }

    Plan.Mutation check(GqFile.Query query, GqFile.Mutation mutation) {
        StatementScope scope = new StatementScope(catalog, findings, parameters, mutation.rows());
        List<Plan.Statement> statements = statements(mutation.statements(), scope);
        Plan.Read answer = new AnswerChecker(catalog, findings, parameters).check(query, mutation.answer(), scope);
        return new Plan.Mutation(
                query.name(),
                parameters.list(),
                query.annotations(),
                scope.variables(),
                scope.rows(query),
                statements,
                answer);
    }

    private List<Plan.Statement> statements(List<MutationSyntax> written, StatementScope scope) {
        List<Plan.Statement> statements = new ArrayList<>();
        for (MutationSyntax statement : written) {
            findings.attempt(() -> statements.add(statement(statement, scope)));
        }
        return List.copyOf(statements);
    }

    private Plan.Statement statement(MutationSyntax statement, StatementScope scope) {
        return switch (statement) {
            case MutationSyntax.Insert insert ->
                switch (type(insert.type(), insert.typeSpan())) {
                    case EntityType.NodeType node -> insertNode(node, insert, scope);
                    case EntityType.EdgeType edge -> insertEdge(edge, insert, scope);
                };
            case MutationSyntax.Update update -> {
                rejectInLoop(update.typeSpan(), scope);
                yield update(type(update.type(), update.typeSpan()), update, scope);
            }
            case MutationSyntax.Delete delete -> {
                rejectInLoop(delete.typeSpan(), scope);
                EntityType type = type(delete.type(), delete.typeSpan());
                yield new Plan.Statement.Delete(type.identity(), predicate(type, delete.predicate(), scope));
            }
            case MutationSyntax.UpdateBound update -> updateBound(update, scope);
            case MutationSyntax.DeleteBound delete ->
                new Plan.Statement.DeleteBound(delete.variables().stream()
                        .map(variable -> scope.variable(scope.entity(variable)))
                        .toList());
            case MutationSyntax.ForEach each -> forEach(each, scope);
        };
    }

    private void rejectInLoop(Span span, StatementScope scope) {
        if (scope.isInLoop()) {
            findings.note(
                    "T6",
                    span,
                    "`for` holds no statement with `where`, which runs once",
                    "write it before or after the `for`; an `insert` of a node with a key changes the node that has this"
                            + " key");
        }
    }

    private Plan.Statement forEach(MutationSyntax.ForEach each, StatementScope scope) {
        List<Parameter> fields =
                each.list() instanceof ExpressionSyntax.Dollar dollar ? parameters.fieldsOf(dollar.name()) : List.of();
        Expression list = fields.isEmpty()
                ? ValueTypes.typed(value(scope.ofInsert(), each.list()))
                : parameters.records(((ExpressionSyntax.Dollar) each.list()).name());
        ValueType item = ValueType.itemOf(list.type());
        if (item == null) {
            throw findings.refuse(
                    "T4",
                    each.list().span(),
                    "`for` takes a list, but this is " + list.typeName(),
                    "declare a parameter such as `$rows: [{name: String, age: I32?}]` or `$names: [String]`");
        }
        scope.enter();
        try {
            List<Variable> variables = fields.isEmpty()
                    ? List.of(scope.bindElement(each.variable(), item))
                    : scope.bindRecord(each.variable(), fields);
            return new Plan.Statement.ForEach(list, !fields.isEmpty(), variables, statements(each.statements(), scope));
        } finally {
            scope.leave(each.variable());
        }
    }

    private EntityType type(String name, Span span) {
        EntityType.NodeType node = catalog.node(name);
        if (node != null) {
            return node;
        }
        EntityType.EdgeType edge = catalog.edge(name);
        if (edge != null) {
            return edge;
        }
        List<String> known =
                new ArrayList<>(catalog.nodes().stream().map(EntityType::name).toList());
        catalog.edges().forEach(type -> known.add(type.name()));
        String hint = catalog.interfaceType(name) != null
                ? "it is an interface: write one statement for each node type that implements it"
                : QueryFindings.nearOr(name, known, null);
        throw findings.refuse("T10", span, "there is no node or edge type `" + name + "` to write", hint);
    }

    private Plan.Statement insertNode(EntityType.NodeType type, MutationSyntax.Insert insert, StatementScope scope) {
        List<Plan.Assignment> assignments = new ArrayList<>();
        rejectDoubles(insert.fields());
        for (Field field : insert.fields()) {
            findings.attempt(() -> assignments.add(assignment(type, field, scope.ofInsert())));
        }
        requireAll(type, insert);
        return new Plan.Statement.InsertNode(
                type.identity(),
                List.copyOf(assignments),
                scope.bind(insert.as(), type),
                findings.origin(insert.typeSpan()));
    }

    private Plan.Statement insertEdge(EntityType.EdgeType type, MutationSyntax.Insert insert, StatementScope scope) {
        List<Plan.Assignment> assignments = new ArrayList<>();
        Map<String, Expression> ends = new HashMap<>();
        rejectDoubles(insert.fields());
        for (Field field : insert.fields()) {
            boolean end = field.name().equals("from") || field.name().equals("to");
            findings.attempt(() -> {
                if (end) {
                    ends.put(field.name(), end(type, field, scope));
                } else {
                    assignments.add(assignment(type, field, scope.ofInsert()));
                }
            });
        }
        Set<String> given = requireAll(type, insert);
        for (String end : List.of("from", "to")) {
            if (!given.contains(end)) {
                EdgeEnd node = end.equals("from") ? type.source() : type.destination();
                findings.note(
                        "T12",
                        insert.typeSpan(),
                        "an edge `" + type.name() + "` needs `" + end + "`",
                        "add `" + end + ": …`, the id of a `" + node.text() + "`");
            }
        }
        Expression from = ends.get("from");
        Expression to = ends.get("to");
        if (from == null || to == null) {
            throw findings.silent();
        }
        return new Plan.Statement.InsertEdge(
                type.identity(),
                from,
                to,
                List.copyOf(assignments),
                scope.bind(insert.as(), type),
                findings.origin(insert.typeSpan()));
    }

    /** An id; of {@code {type: …, id: …}} a list of both. */
    private Expression end(EntityType.EdgeType type, Field field, StatementScope scope) {
        if (field.value() instanceof ExpressionSyntax.Struct record) {
            return typedEnd(field.name().equals("from") ? type.source() : type.destination(), field, record, scope);
        }
        return nodeOrText(type, field, scope);
    }

    private Expression typedEnd(EdgeEnd end, Field field, ExpressionSyntax.Struct record, StatementScope scope) {
        Map<String, Expression> parts = new HashMap<>();
        for (ExpressionSyntax.RecordField part : record.fields()) {
            parts.put(part.name(), value(scope.ofInsert(), part.value()));
        }
        Expression type = parts.get("type");
        Expression id = parts.get("id");
        boolean more = parts.size() != 2 || record.fields().size() != 2;
        if (type == null || id == null || more || type.family() != Family.TEXT || id.family() != Family.TEXT) {
            throw findings.refuse(
                    "T4",
                    record.span(),
                    "`" + field.name() + "` is an id, or a record of a node's type and id",
                    "write `" + field.name() + ": {type: \""
                            + end.types().getFirst().name() + "\", id: …}`");
        }
        if (type instanceof Expression.Literal literal
                && literal.value() instanceof Value.Text(String name)
                && end.types().stream().noneMatch(each -> each.name().equals(name))) {
            throw findings.refuse(
                    "T5",
                    record.span(),
                    "`" + field.name() + "` is a `" + name + "`, but that end is a `" + end.text() + "`",
                    QueryFindings.nearOr(
                            name,
                            end.types().stream().map(EdgeEnd.NodeName::name).toList(),
                            null));
        }
        return new Expression.ListOf(List.of(type, id), new PropertyType.ListOf(ScalarType.STRING));
    }

    /** The id of a node, or a variable that is bound to one. */
    private Expression nodeOrText(EntityType.EdgeType type, Field field, StatementScope scope) {
        Expression value = value(scope.ofInsert(), field.value());
        if (value instanceof Expression.EntityOf && field.value() instanceof ExpressionSyntax.Dollar dollar) {
            EdgeEnd wanted = field.name().equals("from") ? type.source() : type.destination();
            Scope.Variable variable = scope.entity(dollar);
            if (variable.types == null || !wanted.identities().containsAll(variable.types)) {
                throw findings.refuse(
                        "T5",
                        field.value().span(),
                        "`" + field.name() + "` of `" + type.name() + "` is a `" + wanted.names() + "`, but `$"
                                + dollar.name() + "` is " + scope.typesOf(variable),
                        variable.types != null && wanted.hasAny(variable.types)
                                ? "bind it to the type: `$" + dollar.name() + ": "
                                        + wanted.types().getFirst().name() + "`"
                                : null);
            }
            return value;
        }
        if (value.family() != Family.TEXT) {
            throw findings.refuse(
                    "T4",
                    field.value().span(),
                    "`" + field.name() + "` of `" + type.name() + "` is an entity id, but this is " + value.typeName(),
                    value.family() == Family.NUMBER ? "ids are strings: put it in double quotes" : null);
        }
        return value;
    }

    private void rejectDoubles(List<Field> fields) {
        Set<String> seen = new HashSet<>();
        for (Field field : fields) {
            if (!seen.add(field.name())) {
                findings.note(
                        "T13", field.nameSpan(), "`" + field.name() + "` is assigned twice", "keep one of the two");
            }
        }
    }

    private Set<String> requireAll(EntityType type, MutationSyntax.Insert insert) {
        Set<String> given = new HashSet<>();
        insert.fields().forEach(field -> given.add(field.name()));
        for (Property property : type.properties()) {
            boolean needed = !property.nullable() && property.defaultValue() == null;
            if (needed && !given.contains(property.name())) {
                findings.note(
                        "T12",
                        insert.typeSpan(),
                        "`" + type.name() + "` needs `" + property.name() + "` (" + property.type() + ")",
                        "add `" + property.name() + ": …`");
            }
        }
        return given;
    }

    private Plan.Statement update(EntityType type, MutationSyntax.Update update, StatementScope scope) {
        List<Plan.Assignment> assignments = new ArrayList<>();
        rejectNothing(update.fields(), update.typeSpan());
        for (Field field : update.fields()) {
            findings.attempt(() -> {
                rejectFixed(type, field);
                assignments.add(assignment(type, field, scope.ofUpdate(type)));
            });
        }
        return new Plan.Statement.Update(
                type.identity(), List.copyOf(assignments), predicate(type, update.predicate(), scope));
    }

    private Plan.Statement updateBound(MutationSyntax.UpdateBound update, StatementScope scope) {
        Scope.Variable variable = scope.entity(update.variable());
        Map<Integer, List<Plan.Assignment>> byType = new TreeMap<>();
        rejectNothing(update.fields(), update.variable().span());
        for (Field field : update.fields()) {
            findings.attempt(() -> {
                Expression value = null;
                for (int identity : Objects.requireNonNull(variable.types)) {
                    EntityType type = catalog.requireType(identity);
                    rejectFixed(type, field);
                    Plan.Assignment assignment = assignment(type, field, scope.ofBound(variable));
                    // The value is one, and what it reads is resolved for all types of the variable.
                    value = value == null ? assignment.value() : value;
                    byType.computeIfAbsent(identity, ignored -> new ArrayList<>())
                            .add(new Plan.Assignment(assignment.property(), assignment.name(), value));
                }
            });
        }
        byType.replaceAll((type, assignments) -> List.copyOf(assignments));
        return new Plan.Statement.UpdateBound(
                scope.variable(variable),
                byType,
                findings.origin(update.variable().span()));
    }

    private void rejectNothing(List<Field> fields, Span span) {
        rejectDoubles(fields);
        if (fields.isEmpty()) {
            findings.note("Q000", span, "the update sets nothing", "name a property: `set { name: $n }`");
        }
    }

    private void rejectFixed(EntityType type, Field field) {
        Property property = type.property(field.name());
        boolean key = property != null && type.key().contains(property.identity());
        boolean end = property == null
                && type instanceof EntityType.EdgeType
                && List.of("from", "to", "src", "dst").contains(field.name());
        if (key || end || (property == null && field.name().equals("id"))) {
            throw findings.refuse(
                    "T16",
                    field.nameSpan(),
                    "`"
                            + field.name()
                            + "` is "
                            + (key ? "part of the key" : end ? "an end" : "the id")
                            + " of `"
                            + type.name()
                            + "` and cannot change",
                    end && type.key().isEmpty()
                            ? "a load in mode merge moves an edge: `{\"edge\":\"%s\",\"from\":…,\"to\":…,\"data\":{\"id\":…}}`"
                                    .formatted(type.name())
                            : "another key makes another entity: insert that one");
        }
    }

    private Plan.Assignment assignment(EntityType type, Field field, MutationEnvironment names) {
        Property property = MutationEnvironment.property(type, field.name(), field.nameSpan(), findings);
        Expression value = value(names, field.value());
        return new Plan.Assignment(
                property.identity(),
                property.name(),
                stored(property, value, names.isOfInsert(), field.value().span()));
    }

    /** @param inserted whether a property that is left out takes its default */
    private Expression stored(Property property, Expression value, boolean inserted, Span span) {
        String what = "`" + property.name() + "`";
        if (value instanceof Expression.Literal literal) {
            if (literal.value() instanceof Value.Null && !property.nullable()) {
                throw findings.refuse(
                        "T12",
                        span,
                        what + " is required and cannot be null",
                        inserted && property.defaultValue() != null
                                ? "leave it out to take its default, or give a value"
                                : "give a value");
            }
            Value converted = Assignability.literal(literal.value(), property.type(), span, what, findings);
            if (converted == null) {
                throw findings.silent();
            }
            return new Expression.Literal(converted, converted instanceof Value.Null ? null : property.type());
        }
        if (!Assignability.fits(value, property.type())) {
            throw findings.refuse(
                    "T4",
                    span,
                    what + " is of type " + property.type() + " and cannot take " + value.typeName(),
                    mismatchHint(property.type(), value));
        }
        return value;
    }

    /** How a value that is not written in the source may fit a property, or null. */
    private static @Nullable String mismatchHint(PropertyType type, Expression value) {
        Family wanted = Family.of(type);
        Family given = value.family();
        boolean isParameter = value instanceof Expression.Argument;
        if (given == Family.ENTITY) {
            return "take its `@id`, or a property of it";
        }
        if (given == Family.NUMBER && wanted == Family.NUMBER) {
            return (isParameter ? "declare the parameter as an integer, or" : "declare") + " the property as a float";
        }
        boolean calendar = given == Family.TEXT || given == Family.DATE || given == Family.DATETIME;
        if (calendar && (wanted == Family.DATE || wanted == Family.DATETIME)) {
            return "turn it into a " + type + " with `" + (wanted == Family.DATE ? "date" : "datetime") + "(…)`";
        }
        return isParameter ? "declare the parameter as " + type : null;
    }

    private Expression value(MutationEnvironment names, ExpressionSyntax syntax) {
        Expression value = checker(names, "an assignment").check(syntax);
        if (!(value instanceof Expression.EntityOf) && AnswerChecker.holdsEntity(value)) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "`" + findings.text(syntax.span()) + "` holds a whole entity within a value",
                    "take its `@id`, or a property of it");
        }
        if (AnswerChecker.readsEndType(value)) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "the type of an end of an edge in a list is not known here",
                    "bind the edge in a match before the statement, or read the type in a `with`");
        }
        return value;
    }

    private Expression predicate(EntityType type, ExpressionSyntax syntax, StatementScope scope) {
        return checker(scope.ofPredicate(type), "`where`").condition(syntax, "the predicate of `where`");
    }

    private ExpressionChecker checker(MutationEnvironment names, String noAggregate) {
        return new ExpressionChecker(findings, parameters, names, noAggregate);
    }
}
