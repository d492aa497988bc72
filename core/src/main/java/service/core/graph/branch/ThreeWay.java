package service.core.graph.branch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.value.PropertyRow;
import service.core.value.Value;

/**
 * Decides the outcome for one entity that a source has changed since the merge base ({@code docs/branches.md}). A null
 * image means that the entity does not exist. Pure.
 */
sealed interface ThreeWay {
    /** The target keeps its image. */
    record Kept() implements ThreeWay {}

    /** The target takes this image; null deletes the entity. */
    record Taken(@Nullable Image image) implements ThreeWay {}

    /**
     * The two sides have changed the entity differently.
     *
     * @param disputed identities of the properties that both changed; −1 and −2 are an edge's ends
     */
    record Disputed(MergeConflict.Kind kind, List<Integer> disputed) implements ThreeWay {}

    int FROM = -1;
    int TO = -2;
    Kept KEPT = new Kept();

    /**
     * Decides one entity.
     *
     * @param source differs from {@code base}
     * @param byProperty whether changes of different properties are combined
     */
    static ThreeWay decide(@Nullable Image base, @Nullable Image source, @Nullable Image target, boolean byProperty) {
        if (Objects.equals(source, target)) {
            return KEPT;
        }
        if (Objects.equals(base, target)) {
            return new Taken(source);
        }
        if (base == null) {
            return new Disputed(MergeConflict.Kind.DIVERGENT_INSERT, List.of());
        }
        if (source == null || target == null) {
            return new Disputed(MergeConflict.Kind.DELETE_VS_UPDATE, List.of());
        }
        return updates(base, source, target, byProperty);
    }

    private static ThreeWay updates(Image base, Image source, Image target, boolean byProperty) {
        NavigableMap<Integer, Value> was = base.properties().toMap();
        NavigableMap<Integer, Value> ours = source.properties().toMap();
        NavigableMap<Integer, Value> merged = new TreeMap<>(target.properties().toMap());
        Map<Integer, Value> theirs = Map.copyOf(merged);
        TreeSet<Integer> names = new TreeSet<>(was.keySet());
        names.addAll(ours.keySet());
        names.addAll(theirs.keySet());
        List<Integer> disputed = new ArrayList<>();
        for (int name : names) {
            Value value = ours.get(name);
            if (taken(was.get(name), value, theirs.get(name), name, disputed)) {
                if (value == null) {
                    merged.remove(name);
                } else {
                    merged.put(name, value);
                }
            }
        }
        boolean from = taken(base.from(), source.from(), target.from(), FROM, disputed);
        boolean to = taken(base.to(), source.to(), target.to(), TO, disputed);
        if (!byProperty || !disputed.isEmpty()) {
            return new Disputed(MergeConflict.Kind.DIVERGENT_UPDATE, disputed);
        }
        Image image =
                new Image(PropertyRow.of(merged), from ? source.from() : target.from(), to ? source.to() : target.to());
        return image.equals(target) ? KEPT : new Taken(image);
    }

    /** Whether the source's part is taken; records a dispute when both sides changed it differently. */
    private static boolean taken(
            @Nullable Object base, @Nullable Object source, @Nullable Object target, int name, List<Integer> disputed) {
        if (Objects.equals(base, source) || Objects.equals(source, target)) {
            return false;
        }
        if (!Objects.equals(base, target)) {
            disputed.add(name);
        }
        return true;
    }
}
