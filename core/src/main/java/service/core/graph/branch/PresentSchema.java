package service.core.graph.branch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.ChangeBlockWriter;
import service.core.event.ChangeReader;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.request.LeftOut;
import service.core.graph.request.TimeBudget;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;

/**
 * Shows changes of another schema as the present one has them, by the identities of types and properties, and counts
 * what the present one does not have. One thread, one use.
 */
final class PresentSchema {
    private record Lost(
            EntityKind kind, String typeName, @Nullable String property) {}

    private final Catalog present;
    private final @Nullable GraphView now;
    private final Map<Lost, Long> lost = new LinkedHashMap<>();

    /** Shows changes of earlier schemas. */
    PresentSchema(Catalog present) {
        this.present = present;
        this.now = null;
    }

    /**
     * Shows changes of any schemas of the graph. What a later one has dropped stays as it is.
     *
     * @param now the state that the changes are for; stays open while they are shown
     */
    PresentSchema(GraphView now) {
        this.present = now.catalog();
        this.now = now;
    }

    /** What the changes have and the present schema does not, in the order of the changes. */
    List<LeftOut> leftOut() {
        List<LeftOut> all = new ArrayList<>();
        lost.forEach((what, count) -> all.add(new LeftOut(what.kind, what.typeName, what.property, count)));
        return all;
    }

    /**
     * The changes as the present schema has them; without those that it does not show.
     *
     * @param changes closed by this, unless it is the result
     * @param before the schema of the images before; {@code after} of those after
     */
    ChangeBlock show(ChangeBlock changes, Catalog before, Catalog after, RequestBudget budget, TimeBudget time) {
        if (isPresent(before) && isPresent(after)) {
            return changes;
        }
        try (changes) {
            return shown(changes, before, after, budget, time);
        }
    }

    /** The same as {@link #show}, where the changes stay open. */
    ChangeBlock shown(ChangeBlock changes, Catalog before, Catalog after, RequestBudget budget, TimeBudget time) {
        ChangeBlockWriter shown = new ChangeBlockWriter(budget);
        ChangeReader reader = changes.reader();
        while (reader.next()) {
            time.step();
            EntityChange change = reader.change();
            int type = change.typeIdentity();
            if (present.type(type) == null) {
                EntityType was = Objects.requireNonNullElseGet(after.type(type), () -> before.requireType(type));
                count(new Lost(was.kind(), was.name(), null));
                continue;
            }
            countLost(before.type(type), after.type(type), change);
            if (!fits(type, change.before()) || !fits(type, change.after())) {
                count(new Lost(change.kind(), present.requireType(type).name(), null));
                continue;
            }
            Image is = hasDropped(before, type) || hasDropped(after, type) ? find(type, change.id()) : null;
            Image from = shown(present, before, type, change.before(), is);
            Image to = shown(present, after, type, change.after(), is);
            if (!Objects.equals(from, to)) {
                shown.add(change.kind(), type, change.id(), from, to);
            }
        }
        return shown.finish();
    }

    private boolean isPresent(Catalog catalog) {
        return catalog.fingerprint().equals(present.fingerprint());
    }

    private boolean fits(int type, @Nullable Image image) {
        return fits(present, type, image);
    }

    /** Whether the ends of an edge may have these types. */
    static boolean fits(Catalog catalog, int type, @Nullable Image image) {
        return image == null
                || !(catalog.type(type) instanceof EntityType.EdgeType edge)
                || (edge.source().has(edge.source().type(image.fromType()))
                        && edge.destination().has(edge.destination().type(image.toType())));
    }

    /** Whether a schema has dropped a property that the present one has. */
    private boolean hasDropped(Catalog from, int type) {
        EntityType was = from.type(type);
        return was != null
                && present.requireType(type).properties().stream()
                        .anyMatch(property ->
                                property.identity() < from.nextIdentity() && was.property(property.identity()) == null);
    }

    private @Nullable Image find(int type, String id) {
        return now == null ? null : now.find(type, id);
    }

    /** An image of an earlier schema as a later one has it. */
    static @Nullable Image shown(Catalog later, Catalog from, int type, @Nullable Image image) {
        return shown(later, from, type, image, null);
    }

    private static @Nullable Image shown(
            Catalog present, Catalog from, int type, @Nullable Image image, @Nullable Image now) {
        return image == null
                ? null
                : image.with(present.shape(type)
                        .carried(
                                image.properties(),
                                from.requireType(type),
                                from.nextIdentity(),
                                now == null ? null : now.properties()));
    }

    /** Counts the properties that the change changes and that the present schema does not have. */
    private void countLost(@Nullable EntityType before, @Nullable EntityType after, EntityChange change) {
        EntityType has = present.requireType(change.typeIdentity());
        Map<Integer, Property> gone = new LinkedHashMap<>();
        Stream.of(Optional.ofNullable(after), Optional.ofNullable(before))
                .flatMap(Optional::stream)
                .flatMap(type -> type.properties().stream())
                .filter(property -> has.property(property.identity()) == null)
                .forEach(property -> gone.putIfAbsent(property.identity(), property));
        gone.forEach((identity, property) -> {
            if (!Objects.equals(ThreeWay.part(change.before(), identity), ThreeWay.part(change.after(), identity))) {
                count(new Lost(has.kind(), (after == null ? has : after).name(), property.name()));
            }
        });
    }

    private void count(Lost what) {
        lost.merge(what, 1L, Long::sum);
    }
}
