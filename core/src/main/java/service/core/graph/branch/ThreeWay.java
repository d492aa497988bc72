package service.core.graph.branch;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.value.PropertyRow;
import service.core.value.Value;

/**
 * Decides the outcome for one entity of a merge ({@code docs/branches.md}). A null image means that the entity does not
 * exist. Pure.
 *
 * <p>A criss-cross history has several merge bases. Where they disagree on what the two sides have differently, none of
 * them says which side has changed it, so that it is in conflict.
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
     * @param combined the changes of both sides, with the target's values where they are in conflict; null when the
     *     entity can only be taken as a whole
     */
    record Disputed(
            MergeConflict.Kind kind,
            List<Integer> disputed,
            @Nullable Image combined) implements ThreeWay {}

    int FROM = -1;
    int TO = -2;
    Kept KEPT = new Kept();
    Image NOTHING = Image.ofNode(PropertyRow.EMPTY);

    /**
     * Decides one entity.
     *
     * @param bases its states at the merge bases, at least one
     * @param byProperty whether changes of different properties are combined
     */
    static ThreeWay decide(
            List<@Nullable Image> bases, @Nullable Image source, @Nullable Image target, boolean byProperty) {
        if (Objects.equals(source, target)) {
            return KEPT;
        }
        Image base = bases.getFirst();
        boolean agreed = bases.size() == 1 || bases.stream().allMatch(each -> Objects.equals(each, base));
        if (agreed && Objects.equals(base, target)) {
            return new Taken(source);
        }
        if (agreed && Objects.equals(base, source)) {
            return KEPT;
        }
        MergeConflict.Kind kind = !agreed
                ? MergeConflict.Kind.AMBIGUOUS_BASE
                : base == null
                        ? MergeConflict.Kind.DIVERGENT_INSERT
                        : source == null || target == null
                                ? MergeConflict.Kind.DELETE_VS_UPDATE
                                : MergeConflict.Kind.DIVERGENT_UPDATE;
        if (source == null || target == null) {
            return new Disputed(kind, List.of(), null);
        }
        Parts parts = new Parts(bases, source, target);
        if (!byProperty) {
            return new Disputed(kind, kind == MergeConflict.Kind.DIVERGENT_INSERT ? List.of() : parts.disputed, null);
        }
        Image combined = parts.image();
        if (!parts.disputed.isEmpty()) {
            boolean ambiguous = parts.ambiguous || kind != MergeConflict.Kind.AMBIGUOUS_BASE;
            return new Disputed(ambiguous ? kind : MergeConflict.Kind.DIVERGENT_UPDATE, parts.disputed, combined);
        }
        return combined.equals(target) ? KEPT : new Taken(combined);
    }

    /**
     * A property of an image; an end as a text or, where it is not of the first type of that end, as a list of its type
     * and its id; null where there is none, or no image.
     */
    static @Nullable Value part(@Nullable Image image, int part) {
        if (image == null) {
            return null;
        }
        return switch (part) {
            case FROM -> Node.from(image).value();
            case TO -> Node.to(image).value();
            default -> image.properties().get(part);
        };
    }

    /**
     * An end of an edge, as an image names it.
     *
     * @param id null where the image is of no edge
     */
    record Node(int type, @Nullable String id) {
        static Node from(Image image) {
            return new Node(image.fromType(), image.from());
        }

        static Node to(Image image) {
            return new Node(image.toType(), image.to());
        }

        /** The end that a {@link #part} is. */
        static Node of(@Nullable Value part) {
            return switch (part) {
                case Value.Text id -> new Node(0, id.value());
                case Value.ListOf(List<Value> typed) ->
                    new Node((int) ((Value.Int) typed.getFirst()).value(), ((Value.Text) typed.getLast()).value());
                case null -> new Node(0, null);
                default -> throw new IllegalArgumentException("not an end: " + part);
            };
        }

        @Nullable
        Value value() {
            return id == null ? null : value(type, id);
        }

        static Value value(int type, String id) {
            Value text = new Value.Text(id);
            return type == 0 ? text : new Value.ListOf(List.of(new Value.Int(type), text));
        }
    }

    /** Decides the properties and ends of an entity that both sides have, each for itself. */
    final class Parts {
        private final List<Image> bases;
        private final Image source;
        private final Image target;

        /** The properties that both sides have changed differently, then the ends. */
        final List<Integer> disputed = new ArrayList<>();

        /** Whether the bases disagree on one of those. */
        boolean ambiguous;

        private final NavigableMap<Integer, Value> merged;
        private final boolean takesFrom;
        private final boolean takesTo;

        Parts(List<@Nullable Image> bases, Image source, Image target) {
            this.bases =
                    bases.stream().map(base -> base == null ? NOTHING : base).toList();
            this.source = source;
            this.target = target;
            this.merged = new TreeMap<>(target.properties().toMap());
            TreeSet<Integer> names = new TreeSet<>(merged.keySet());
            names.addAll(source.properties().toMap().keySet());
            for (int name : names) {
                if (isTaken(name)) {
                    Value value = source.properties().get(name);
                    if (value == null) {
                        merged.remove(name);
                    } else {
                        merged.put(name, value);
                    }
                }
            }
            takesFrom = isTaken(FROM);
            takesTo = isTaken(TO);
        }

        /** Whether the source's part is taken; notes one that both sides have changed differently. */
        private boolean isTaken(int name) {
            Value ours = part(source, name);
            Value theirs = part(target, name);
            if (Objects.equals(ours, theirs)) {
                return false;
            }
            Value was = part(bases.getFirst(), name);
            boolean agreed =
                    bases.size() == 1 || bases.stream().allMatch(base -> Objects.equals(part(base, name), was));
            if (agreed && (Objects.equals(was, ours) || Objects.equals(was, theirs))) {
                return Objects.equals(was, theirs);
            }
            disputed.add(name);
            ambiguous |= !agreed;
            return false;
        }

        /** The target with what is taken from the source. */
        Image image() {
            return new Image(
                    PropertyRow.of(merged),
                    takesFrom ? source.from() : target.from(),
                    takesTo ? source.to() : target.to(),
                    takesFrom ? source.fromType() : target.fromType(),
                    takesTo ? source.toType() : target.toType());
        }
    }
}
