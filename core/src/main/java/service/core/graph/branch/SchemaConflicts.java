package service.core.graph.branch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.check.EdgeImages;
import service.core.graph.request.TimeBudget;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.Direction;

/**
 * The conflicts of one run of a merge whose source has an earlier schema than the target: what the source wrote and the
 * target's schema does not have, or does not allow.
 *
 * <p>They are resolved by taking the target: an entity of a dropped type, with a dropped end, or against a new
 * constraint stays as the target has it. So does one with a value in a dropped property; where properties are merged
 * one by one, only that value is left out. A constraint is violated by the outcome of a run, so what is kept because of
 * it counts for the next run ({@link MergeInput#over}). One thread.
 */
final class SchemaConflicts {
    private final MergeInput input;
    private final Catalog earlier;
    private final ChangeBlock written;
    private final String branch;
    private final GraphView target;
    private final Catalog present;
    private final Resolutions resolutions;
    private final ConflictList conflicts;

    /** The entities that earlier runs have left to the target, with the subjects of the resolutions that say so. */
    private final Map<MergeRun.Entity, MergeRun.Entity> kept;

    /** How many earlier runs have left. */
    private final int keptBefore;

    /** The properties that each type of the earlier schema has lost, for types that have lost something. */
    private final Map<Integer, List<Property>> lost = new HashMap<>();

    /** The entities in conflict as a whole. One of which only values are left out is decided like any other. */
    private final Set<MergeRun.Entity> open = new HashSet<>();

    /** The entities that the resolutions leave to the target. */
    private final Set<MergeRun.Entity> left = new HashSet<>();

    /**
     * Prepares the conflicts of a run.
     *
     * @param branch the name of the target
     * @param kept what earlier runs have left to the target; this run adds to it
     */
    SchemaConflicts(
            MergeInput input,
            MergeInput.Written of,
            String branch,
            GraphView target,
            Decisions decisions,
            Map<MergeRun.Entity, MergeRun.Entity> kept) {
        this.input = input;
        this.earlier = of.schema();
        this.written = of.changes();
        this.branch = branch;
        this.target = target;
        this.present = target.catalog();
        this.resolutions = decisions.resolutions;
        this.conflicts = decisions.conflicts;
        this.kept = kept;
        this.keptBefore = kept.size();
        earlier.nodes().forEach(this::compare);
        earlier.edges().forEach(this::compare);
    }

    /** The resolutions and the conflicts of a run. */
    record Decisions(Resolutions resolutions, ConflictList conflicts) {}

    private void compare(EntityType was) {
        EntityType is = present.type(was.identity());
        List<Property> gone = is == null
                ? List.of()
                : was.properties().stream()
                        .filter(property -> is.property(property.identity()) == null)
                        .toList();
        if (is == null || !gone.isEmpty() || is instanceof EntityType.EdgeType) {
            lost.put(was.identity(), gone);
        }
    }

    /** Finds what the target's schema does not have. */
    void find(TimeBudget time) {
        ChangeReader reader = written.reader();
        while (reader.next()) {
            time.step();
            List<Property> gone = lost.get(reader.type());
            if (gone != null && reader.hasAfter()) {
                find(reader.change(), gone);
            }
        }
    }

    private void find(EntityChange change, List<Property> gone) {
        int type = change.typeIdentity();
        EntityType was = earlier.requireType(type);
        EntityType is = present.type(type);
        String entity = ConflictList.describe(is == null ? was : is, change.id());
        if (is == null) {
            add(
                    was,
                    change,
                    entity + ": the source wrote it, and `" + branch + "` does not have type `" + was.name()
                            + "` any more",
                    List.of());
            return;
        }
        if (!PresentSchema.fits(present, type, change.before()) || !PresentSchema.fits(present, type, change.after())) {
            add(
                    is,
                    change,
                    entity + ": the source wrote it, and an end of `" + is.name() + "` on `" + branch
                            + "` does not have the type of its node any more",
                    List.of());
            return;
        }
        List<String> names = new ArrayList<>();
        for (Property property : gone) {
            if (ThreeWay.part(change.after(), property.identity()) != null
                    && !Objects.equals(
                            ThreeWay.part(change.after(), property.identity()),
                            ThreeWay.part(change.before(), property.identity()))) {
                names.add(property.name());
            }
        }
        if (!names.isEmpty()) {
            add(
                    is,
                    change,
                    entity + ": the source wrote its `" + String.join("`, `", names) + "`, which `" + branch
                            + "` does not have any more",
                    names);
        }
    }

    /** @param properties the values that are lost; empty for the whole entity */
    private void add(EntityType type, EntityChange change, String message, List<String> properties) {
        MergeRun.Entity entity = new MergeRun.Entity(change.typeIdentity(), change.id());
        boolean whole = properties.isEmpty() || !input.byProperty();
        boolean resolved = resolutions.takeWhole(entity.type(), entity.id()) == Resolution.Side.TARGET;
        if (whole) {
            conflicts.charge(entity.id());
            (resolved ? left : open).add(entity);
        }
        if (resolved) {
            return;
        }
        boolean shown = present.type(entity.type()) != null;
        conflicts.add(new MergeConflict(
                type,
                change.id(),
                MergeConflict.Kind.SCHEMA_CONFLICT,
                message,
                properties,
                shown ? shown(change.before(), entity.type()) : change.before(),
                shown ? shown(change.after(), entity.type()) : change.after(),
                shown ? target.find(entity.type(), entity.id()) : null));
    }

    private @Nullable Image shown(@Nullable Image image, int type) {
        return PresentSchema.shown(present, earlier, type, image);
    }

    /** Whether the target keeps an entity as it has it, because a resolution says so. */
    boolean isKept(int type, String id) {
        MergeRun.Entity entity = new MergeRun.Entity(type, id);
        MergeRun.Entity by = kept.get(entity);
        if (by != null) {
            resolutions.takeWhole(by.type(), by.id());
            resolutions.takeWhole(type, id);
        }
        return by != null || left.contains(entity);
    }

    /** Whether this run has left more to the target, so that another one follows. */
    boolean keepsMore() {
        return kept.size() > keptBefore;
    }

    /** Whether an entity is in conflict as a whole. */
    boolean isOpen(int type, String id) {
        return open.contains(new MergeRun.Entity(type, id));
    }

    /**
     * Takes a violation of the outcome that comes from the target's schema; false when it has another reason.
     *
     * @param unique the unique index that is violated; null for another constraint
     */
    boolean take(
            MergeConflict.Kind kind,
            EntityType type,
            String id,
            @Nullable IndexDefinition unique,
            ServiceException violation) {
        EntityChange change = input.source().find(type.identity(), id);
        boolean isOfSchema = switch (kind) {
            case VALUE_CONSTRAINT_VIOLATION -> change != null;
            case UNIQUE_VIOLATION -> unique != null && !had(unique);
            case CARDINALITY_VIOLATION -> isTighter((EntityType.EdgeType) type);
            case ORPHAN_EDGE -> change != null && lacksAnEnd((EntityType.EdgeType) type, change.after());
            default -> false;
        };
        if (!isOfSchema) {
            return false;
        }
        MergeRun.Entity subject = new MergeRun.Entity(type.identity(), id);
        if (resolutions.takeWhole(subject.type(), id) == Resolution.Side.TARGET && keep(kind, subject)) {
            return true;
        }
        String message = String.valueOf(violation.getMessage())
                + (kind == MergeConflict.Kind.ORPHAN_EDGE
                        ? ", because the schema of `" + branch + "` does not take it"
                        : ", by a rule that the schema of `" + branch + "` has and that of the source has not");
        conflicts.addOnce(
                new MergeConflict(
                        type,
                        id,
                        MergeConflict.Kind.SCHEMA_CONFLICT,
                        message,
                        List.of(),
                        change == null ? null : change.before(),
                        change == null ? null : change.after(),
                        kind == MergeConflict.Kind.CARDINALITY_VIOLATION ? null : target.find(type.identity(), id)),
                message);
        return true;
    }

    /** Leaves what a resolution names to the target, from the next run on; false when it was left already. */
    private boolean keep(MergeConflict.Kind kind, MergeRun.Entity subject) {
        if (kind != MergeConflict.Kind.CARDINALITY_VIOLATION) {
            return kept.put(subject, subject) == null;
        }
        boolean more = false;
        ChangeReader reader = input.source().reader();
        while (reader.next()) {
            if (reader.type() == subject.type()) {
                EntityChange change = reader.change();
                if (leaves(change.before(), subject.id()) || leaves(change.after(), subject.id())) {
                    more |= kept.put(new MergeRun.Entity(subject.type(), change.id()), subject) == null;
                }
            }
        }
        return more;
    }

    private static boolean leaves(@Nullable Image edge, String node) {
        return edge != null && node.equals(edge.from());
    }

    private boolean had(IndexDefinition unique) {
        EntityType was = earlier.type(unique.typeIdentity());
        return was != null
                && was.indexes().stream()
                        .anyMatch(index -> index.unique() && index.members().equals(unique.members()));
    }

    private boolean isTighter(EntityType.EdgeType is) {
        return !(earlier.type(is.identity()) instanceof EntityType.EdgeType was)
                || is.cardinality().min() > was.cardinality().min()
                || is.cardinality().max() < was.cardinality().max();
    }

    /** Whether a node at an end is in conflict, or was left to the target. */
    private boolean lacksAnEnd(EntityType.EdgeType edge, @Nullable Image image) {
        return image != null
                && (isLeftOut(EdgeImages.type(edge, image, Direction.OUT), image.from())
                        || isLeftOut(EdgeImages.type(edge, image, Direction.IN), image.to()));
    }

    private boolean isLeftOut(int type, @Nullable String id) {
        return id != null && (isOpen(type, id) || isKept(type, id));
    }
}
