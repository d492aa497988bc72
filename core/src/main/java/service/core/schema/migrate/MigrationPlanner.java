package service.core.schema.migrate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.InterfaceType;
import service.core.schema.Property;
import service.core.schema.migrate.LiveData.Offence;
import service.core.schema.migrate.MigrationStep.Action;

/**
 * Compares an accepted schema with a desired one, which is a text, or the later schema of another branch. Pure: the
 * same schemas give the same steps, and live data decides only what is refused. {@link #of} compares; {@link #decide}
 * asks for the facts. Any thread.
 *
 * <p>Steps are ordered: renamed types, new types, then what changes within each type in the order of the desired
 * source, then dropped types. All of them happen in one commit, so the order is for readers.
 */
public final class MigrationPlanner {
    /** The code of a {@code @rename_from} that cannot be followed. */
    static final String RENAME_CODE = "PG-MF-109";

    private final SchemaMatch match;
    private final List<MigrationStep> steps = new ArrayList<>();
    private final List<SchemaRefusal> refusals = new ArrayList<>();

    /** By what is asked, in the order of the plan. */
    private final Map<TypeDiff.Question, EntityType> questions = new LinkedHashMap<>();

    private final List<EntityType> dropped = new ArrayList<>();

    private MigrationPlanner(SchemaMatch match) {
        this.match = match;
    }

    /**
     * Compares two schemas.
     *
     * @throws service.core.error.ServiceException BAD_REQUEST with the findings of the desired source
     */
    public static MigrationPlanner of(Catalog accepted, String source) {
        SchemaMatch match = new SchemaMatch(accepted, source);
        return accepted.digest().equals(match.desired.digest())
                ? new MigrationPlanner(new SchemaMatch(accepted, accepted))
                : compared(match);
    }

    /** Compares a schema with a later one of the same graph, by identities. */
    public static MigrationPlanner of(Catalog accepted, Catalog later) {
        SchemaMatch match = new SchemaMatch(accepted, later);
        return accepted.fingerprint().equals(later.fingerprint()) ? new MigrationPlanner(match) : compared(match);
    }

    private static MigrationPlanner compared(SchemaMatch match) {
        MigrationPlanner planner = new MigrationPlanner(match);
        planner.compare();
        return planner;
    }

    /** The desired schema with the identities of the accepted one. */
    public Catalog desired() {
        return match.desired;
    }

    /** The types whose entities decide what is refused, by accepted identity. */
    public Set<Integer> typesAsked() {
        Set<Integer> types = new HashSet<>();
        questions.keySet().forEach(question -> types.add(question.check().type()));
        dropped.forEach(type -> types.add(type.identity()));
        return types;
    }

    /** The plan for a graph with this data. */
    public MigrationPlan decide(LiveData live, DropApproval approval) {
        List<LiveCheck> checks = new ArrayList<>();
        questions.keySet().forEach(question -> checks.add(question.check()));
        dropped.forEach(type -> checks.add(new LiveCheck.NoEntities(type.identity())));
        Map<LiveCheck, Offence> offences = checks.isEmpty() ? Map.of() : live.offences(match.desired, checks);
        List<SchemaRefusal> all = new ArrayList<>(refusals);
        questions.forEach((question, type) -> {
            Offence offence = offences.get(question.check());
            if (offence != null) {
                all.add(refusal(question, type, offence));
            }
        });
        List<MigrationPlan.Drop> drops = new ArrayList<>();
        for (EntityType type : dropped) {
            Offence offence = offences.get(new LiveCheck.NoEntities(type.identity()));
            if (offence != null) {
                boolean approved = approval.approves(type.name());
                drops.add(new MigrationPlan.Drop(type.kind().wireName(), type.name(), offence.count(), approved));
                if (!approved) {
                    all.add(refusal(type, offence, approval));
                }
            }
        }
        return new MigrationPlan(match.accepted, match.desired, steps, all, drops);
    }

    private static SchemaRefusal refusal(TypeDiff.Question question, EntityType type, Offence offence) {
        boolean exists = question.check() instanceof LiveCheck.NoEntities;
        String first = exists
                ? "the first of %s is `%s`".formatted(entities(offence.count()), offence.entityId())
                : "%s of `%s`, the first is `%s`, which %s"
                        .formatted(entities(offence.count()), type.name(), offence.entityId(), offence.fault());
        return new SchemaRefusal(
                question.code(),
                type.kind().wireName(),
                type.name(),
                question.property(),
                offence.count(),
                offence.entityId(),
                question.subject() + " (" + first + "): " + question.remedy());
    }

    private static SchemaRefusal refusal(EntityType type, Offence offence, DropApproval approval) {
        String kind = type.kind().wireName();
        return new SchemaRefusal(
                kind.equals("node") ? "PG-DS-102" : "PG-DS-103",
                kind,
                type.name(),
                null,
                offence.count(),
                offence.entityId(),
                "%s type `%s` cannot be dropped while it has entities (the first of %s is `%s`): keep it in the schema, or %s"
                        .formatted(
                                kind,
                                type.name(),
                                entities(offence.count()),
                                offence.entityId(),
                                approval.remedyFor(type.name())));
    }

    private static String entities(long count) {
        return count == 1 ? "1 entity" : count + " entities";
    }

    private void compare() {
        renamed(match.nodes, "node");
        renamed(match.edges, "edge");
        match.desired.interfaces().forEach(type -> {
            if (!match.interfaces.pairs.containsKey(type.name())) {
                step(Action.ADD_TYPE, "interface", type.name());
            }
        });
        match.desired.nodes().forEach(this::addIfNew);
        match.desired.edges().forEach(this::addIfNew);
        match.desired.interfaces().forEach(this::compare);
        match.desired.nodes().forEach(this::compare);
        match.desired.edges().forEach(this::compare);
        match.edges.dropped.forEach(name -> drop(Objects.requireNonNull(match.accepted.edge(name))));
        match.nodes.dropped.forEach(name -> drop(Objects.requireNonNull(match.accepted.node(name))));
        match.interfaces.dropped.forEach(name -> step(Action.DROP_TYPE, "interface", name));
    }

    private void renamed(NameMatch names, String kind) {
        names.pairs.forEach((name, old) -> {
            if (!name.equals(old)) {
                steps.add(new MigrationStep(Action.RENAME_TYPE, kind, name, null, old, name));
            }
        });
        for (NameMatch.Problem problem : names.problems) {
            steps.add(new MigrationStep(
                    Action.UNSUPPORTED, kind, problem.name(), null, problem.renamedFrom(), problem.name()));
            refusals.add(new SchemaRefusal(RENAME_CODE, kind, problem.name(), null, 0, null, problem.message()));
        }
    }

    private void addIfNew(EntityType type) {
        if (match.acceptedOf(type) == null) {
            step(Action.ADD_TYPE, type.kind().wireName(), type.name());
        }
    }

    private void compare(EntityType type) {
        EntityType old = match.acceptedOf(type);
        if (old != null) {
            TypeDiff diff = new TypeDiff(old, type, match);
            diff.run();
            steps.addAll(diff.steps);
            refusals.addAll(diff.refusals);
            diff.questions.forEach(question -> questions.put(question, type));
        }
    }

    /** The types that implement an interface show what its properties become; this shows the interface itself. */
    private void compare(InterfaceType type) {
        if (!match.interfaces.pairs.containsKey(type.name())) {
            return;
        }
        NameMatch properties = match.properties("interface", type.name());
        for (Property property : type.properties()) {
            String old = properties.pairs.get(property.name());
            if (old == null) {
                step(Action.ADD_PROPERTY, type.name(), property.name(), null, SchemaText.property(property));
            } else if (!old.equals(property.name())) {
                step(Action.RENAME_PROPERTY, type.name(), property.name(), old, property.name());
            }
        }
        properties.dropped.forEach(name -> step(Action.DROP_PROPERTY, type.name(), name, null, null));
    }

    private void drop(EntityType type) {
        step(Action.DROP_TYPE, type.kind().wireName(), type.name());
        dropped.add(type);
    }

    private void step(Action action, String kind, String type) {
        steps.add(new MigrationStep(action, kind, type, null, null, null));
    }

    private void step(
            Action action,
            String type,
            String property,
            @org.jspecify.annotations.Nullable String before,
            @org.jspecify.annotations.Nullable String after) {
        steps.add(new MigrationStep(action, "interface", type, property, before, after));
    }
}
