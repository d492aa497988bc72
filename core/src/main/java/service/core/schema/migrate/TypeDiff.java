package service.core.schema.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.schema.Constraint;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.schema.migrate.MigrationStep.Action;
import service.core.value.PropertyType;

/** The difference of one type between two schemas: steps, refusals, and the checks that decide the rest. One thread. */
final class TypeDiff {
    /**
     * A check of live data with the refusal when it fails.
     *
     * @param remedy the end of the message, after what is wrong
     */
    record Question(LiveCheck check, String code, @Nullable String property, String subject, String remedy) {}

    final List<MigrationStep> steps = new ArrayList<>();
    final List<SchemaRefusal> refusals = new ArrayList<>();
    final List<Question> questions = new ArrayList<>();

    private final EntityType old;
    private final EntityType now;
    private final NameMatch match;
    private final String kind;

    TypeDiff(EntityType old, EntityType now, SchemaMatch schemas) {
        this.old = old;
        this.now = now;
        this.match = schemas.properties(now.kind().wireName(), now.name());
        this.kind = now.kind().wireName();
    }

    void run() {
        refuseKeyAndEnds();
        Map<String, String> constraintsBefore = constraints(old);
        Map<String, String> constraintsNow = constraints(now);
        constraintsBefore.forEach((key, text) -> {
            if (!constraintsNow.containsKey(key)) {
                step(Action.DROP_CONSTRAINT, null, text, null);
            }
        });
        properties();
        String annotationsBefore = String.join(" ", annotations(old));
        String annotationsNow = String.join(" ", annotations(now));
        if (!annotationsBefore.equals(annotationsNow)) {
            step(Action.UPDATE_ANNOTATIONS, null, annotationsBefore, annotationsNow);
        }
        constraintsNow.forEach((key, text) -> {
            if (!constraintsBefore.containsKey(key)) {
                step(Action.ADD_CONSTRAINT, null, null, text);
            }
        });
        if (refusals.isEmpty()) {
            ask(constraintsBefore);
        }
    }

    private static Set<String> annotations(EntityType type) {
        Set<String> annotations = new TreeSet<>(SchemaText.annotations(type.annotations(), null));
        if (type instanceof EntityType.NodeType node && !node.interfaces().isEmpty()) {
            annotations.add("implements "
                    + String.join(", ", node.interfaces().stream().sorted().toList()));
        }
        return annotations;
    }

    private void refuseKeyAndEnds() {
        if (!old.key().isEmpty() && !now.key().isEmpty() && !old.key().equals(now.key())) {
            String keyBefore = SchemaText.members("key", old, old.key());
            String keyNow = SchemaText.members("key", now, now.key());
            step(Action.UNSUPPORTED, null, keyBefore, keyNow);
            refuse(
                    "PG-MF-108",
                    null,
                    "the key of %s type `%s` cannot change from %s to %s, because ids are made of it: keep the key, or add a type with the new key, load the entities into it, and drop `%s`"
                            .formatted(kind, now.name(), keyBefore, keyNow, now.name()));
        }
        if (old instanceof EntityType.EdgeType before && now instanceof EntityType.EdgeType after) {
            ends(before, after);
        }
    }

    private void ends(EntityType.EdgeType before, EntityType.EdgeType after) {
        if (isReplaced(before.source(), after.source()) || isReplaced(before.destination(), after.destination())) {
            step(Action.UNSUPPORTED, null, ends(before), ends(after));
            refuse(
                    "PG-MF-108",
                    null,
                    "the ends of edge type `%s` cannot be other node types: add an edge type with the new ends and drop `%s`; after a rename of a node type, write @rename_from at that node type"
                            .formatted(now.name(), now.name()));
            return;
        }
        end("from", before.source(), after.source());
        end("to", before.destination(), after.destination());
        Map<Integer, String> sources = lost(before.source(), after.source());
        Map<Integer, String> destinations = lost(before.destination(), after.destination());
        if (!sources.isEmpty() || !destinations.isEmpty()) {
            questions.add(new Question(
                    new LiveCheck.Ends(now.identity(), sources, destinations),
                    "PG-MF-108",
                    null,
                    "the ends of edge type `%s` cannot become `%s` while edges do not fit them"
                            .formatted(now.name(), ends(after)),
                    "keep the node type at that end, or delete these edges first"));
        }
    }

    /** Whether no type of an end stays. */
    private static boolean isReplaced(EdgeEnd before, EdgeEnd after) {
        return !after.hasAny(before.identities());
    }

    /** The steps of one end: types that it gains, then types that it loses. */
    private void end(String name, EdgeEnd before, EdgeEnd after) {
        boolean gains = !before.identities().containsAll(after.identities());
        boolean loses = !lost(before, after).isEmpty();
        if (gains || (after.wide() && !before.wide())) {
            step(Action.WIDEN_END, name, before.shown(), after.shown());
        }
        if (loses || (before.wide() && !after.wide())) {
            step(Action.NARROW_END, name, before.shown(), after.shown());
        }
    }

    private static Map<Integer, String> lost(EdgeEnd before, EdgeEnd after) {
        Map<Integer, String> lost = new LinkedHashMap<>();
        for (EdgeEnd.NodeName type : before.types()) {
            if (!after.has(type.identity())) {
                lost.put(type.identity(), type.name());
            }
        }
        return lost;
    }

    private static String ends(EntityType.EdgeType edge) {
        return edge.source().shown() + " -> " + edge.destination().shown();
    }

    private void properties() {
        for (Property property : now.properties()) {
            String oldName = match.pairs.get(property.name());
            Property before = oldName == null ? null : old.property(oldName);
            if (before == null) {
                add(property);
            } else {
                change(before, property);
            }
        }
        for (String dropped : match.dropped) {
            Property before = Objects.requireNonNull(old.property(dropped));
            step(Action.DROP_PROPERTY, dropped, SchemaText.property(before), null);
        }
        for (NameMatch.Problem problem : match.problems) {
            step(Action.UNSUPPORTED, problem.name(), problem.renamedFrom(), problem.name());
            refuse(
                    MigrationPlanner.RENAME_CODE,
                    problem.name(),
                    kind + " type `" + now.name() + "`: " + problem.message());
        }
    }

    private void add(Property property) {
        step(Action.ADD_PROPERTY, property.name(), null, SchemaText.property(property));
        if (!property.nullable() && property.missing() == null) {
            questions.add(new Question(
                    new LiveCheck.NoEntities(now.identity()),
                    "PG-MF-103",
                    property.name(),
                    "property `%s` of `%s` is required, and entities exist that cannot have it"
                            .formatted(property.name(), now.name()),
                    renameRemedy(property)
                            + "give it a @default(…), or make it nullable: `%s: %s?`"
                                    .formatted(property.name(), property.type())));
        }
    }

    /**
     * The remedy of a rename that was not declared, where a property of the same type is dropped in the same migration:
     * the other remedies would lose its values.
     */
    private String renameRemedy(Property added) {
        return match.dropped.stream()
                .filter(name ->
                        Objects.requireNonNull(old.property(name)).type().equals(added.type()))
                .findFirst()
                .map(name ->
                        "if it is `%s` under a new name, write `%s: %s @rename_from(\"%s\")`, which keeps the values; else "
                                .formatted(name, added.name(), added.type(), name))
                .orElse("");
    }

    private void change(Property before, Property property) {
        String name = property.name();
        if (!before.name().equals(name)) {
            step(Action.RENAME_PROPERTY, name, before.name(), name);
        }
        if (!before.type().equals(property.type())) {
            changeType(before, property);
        }
        if (!before.nullable() && property.nullable()) {
            step(Action.RELAX_NULLABILITY, name, SchemaText.type(before), SchemaText.type(property));
        }
        if (before.nullable() && !property.nullable()) {
            step(Action.ADD_CONSTRAINT, name, null, "required");
            questions.add(new Question(
                    new LiveCheck.Required(now.identity(), property.identity()),
                    "PG-MF-104",
                    name,
                    "property `%s` of `%s` cannot become required while entities hold null".formatted(name, now.name()),
                    "set it first, for example with `update %s set { %s: … } where %s is null`"
                            .formatted(old.name(), before.name(), before.name())));
        }
        String annotationsBefore = String.join(" ", SchemaText.annotations(before.annotations(), before.type()));
        String annotationsNow = String.join(" ", SchemaText.annotations(property.annotations(), property.type()));
        if (!annotationsBefore.equals(annotationsNow)) {
            step(Action.UPDATE_ANNOTATIONS, name, annotationsBefore, annotationsNow);
        }
    }

    private void changeType(Property before, Property property) {
        String name = property.name();
        String typeBefore = before.type().toString();
        String typeNow = property.type().toString();
        if (before.type() instanceof PropertyType.EnumOf words
                && property.type() instanceof PropertyType.EnumOf wordsNow) {
            List<String> lost = words.values().stream()
                    .filter(word -> !wordsNow.values().contains(word))
                    .toList();
            if (lost.isEmpty()) {
                step(Action.EXTEND_ENUM, name, typeBefore, typeNow);
                return;
            }
            step(Action.UNSUPPORTED, name, typeBefore, typeNow);
            refuse(
                    "PG-MF-106",
                    name,
                    "property `%s` of `%s` would lose the enum values %s: keep them, or add another property with the new values and drop this one"
                            .formatted(name, now.name(), String.join(", ", lost)));
            return;
        }
        step(Action.UNSUPPORTED, name, typeBefore, typeNow);
        refuse(
                "PG-MF-106",
                name,
                "property `%s` of `%s` cannot change from %s to %s: keep the type, or add another property of the new type, fill it, and drop this one"
                        .formatted(name, now.name(), typeBefore, typeNow));
    }

    /**
     * The constraints of a type as a schema writes them, by a key that is equal in two schemas if and only if the
     * constraint is the same, whatever its properties are called.
     */
    private static Map<String, String> constraints(EntityType type) {
        Map<String, String> constraints = new LinkedHashMap<>();
        if (!type.key().isEmpty()) {
            constraints.put("key" + type.key(), SchemaText.members("key", type, type.key()));
        }
        for (IndexDefinition index : type.indexes()) {
            if (!type.isKey(index)) {
                String word = index.unique() ? "unique" : "index";
                constraints.put(word + index.members(), SchemaText.members(word, type, index.members()));
            }
        }
        for (Constraint constraint : type.constraints()) {
            if (!(constraint instanceof Constraint.Unique)) {
                constraints.put(constraint.toString(), SchemaText.constraint(type, constraint));
            }
        }
        if (type instanceof EntityType.EdgeType edge && edge.cardinality().isBounded()) {
            constraints.put(SchemaText.card(edge), SchemaText.card(edge));
        }
        return constraints;
    }

    /** Asks whether live data keeps the constraints that were not there before. */
    private void ask(Map<String, String> before) {
        int type = now.identity();
        if (!now.key().isEmpty() && !before.containsKey("key" + now.key())) {
            askForKey(SchemaText.members("key", now, now.key()));
        }
        for (IndexDefinition index : now.indexes()) {
            if (index.unique() && !now.isKey(index) && !before.containsKey("unique" + index.members())) {
                holds(
                        new LiveCheck.Unique(type, index.members()),
                        SchemaText.members("unique", now, index.members()),
                        "make the values different, or write @index instead");
            }
        }
        for (Constraint constraint : now.constraints()) {
            if (!(constraint instanceof Constraint.Unique) && !before.containsKey(constraint.toString())) {
                holds(
                        new LiveCheck.Values(type, constraint),
                        SchemaText.constraint(now, constraint),
                        "correct the values, or loosen the constraint");
            }
        }
        if (now instanceof EntityType.EdgeType edge && isTighter(edge)) {
            holds(new LiveCheck.Card(type), SchemaText.card(edge), "add or delete edges, or loosen the bounds");
        }
    }

    private void askForKey(String key) {
        switch (now) {
            case EntityType.NodeType node ->
                holds(
                        new LiveCheck.Key(node.identity()),
                        key,
                        "leave out the key, or load the entities under the ids that it gives");
            case EntityType.EdgeType edge ->
                questions.add(new Question(
                        new LiveCheck.NoEntities(edge.identity()),
                        "PG-MF-107",
                        null,
                        "edge type `%s` cannot get %s while it has edges, whose ids are not made of it"
                                .formatted(edge.name(), key),
                        "write @unique instead, or delete the edges first and load them again without their ids"));
        }
    }

    private boolean isTighter(EntityType.EdgeType edge) {
        return old instanceof EntityType.EdgeType before
                && (edge.cardinality().min() > before.cardinality().min()
                        || edge.cardinality().max() < before.cardinality().max());
    }

    private void holds(LiveCheck check, String constraint, String remedy) {
        questions.add(new Question(
                check,
                "PG-MF-107",
                null,
                "%s type `%s` cannot get %s, because live entities violate it".formatted(kind, now.name(), constraint),
                remedy));
    }

    private void step(Action action, @Nullable String property, @Nullable String before, @Nullable String after) {
        steps.add(new MigrationStep(action, kind, now.name(), property, before, after));
    }

    private void refuse(String code, @Nullable String property, String message) {
        refusals.add(new SchemaRefusal(code, kind, now.name(), property, 0, null, message));
    }
}
