package service.projection.merge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A model of histories and merges: whole states in plain maps, written from the text of {@code docs/branches.md} only.
 */
final class MapMerge {
    /** The types of edges; the id of a {@code Met} is its key. */
    static final List<String> EDGES = List.of("Knows", "LivesIn", "Met");

    /** Identifies an entity; types are {@code Person}, {@code City} and the {@link #EDGES}. */
    record Name(String type, String id) implements Comparable<Name> {
        boolean isEdge() {
            return EDGES.contains(type);
        }

        Name end(Thing edge, boolean from) {
            if (type.equals("LivesIn") && !from) {
                int space = edge.to.indexOf(' ');
                return new Name(edge.to.substring(0, space), edge.to.substring(space + 1));
            }
            return new Name(type.equals("Met") && !from ? "City" : "Person", from ? edge.from : edge.to);
        }

        @Override
        public int compareTo(Name other) {
            int byType = type.compareTo(other.type);
            return byType != 0 ? byType : id.compareTo(other.id);
        }
    }

    /** @param to of a LivesIn its type, a blank, and its id */
    record Thing(
            Map<String, String> values,
            @Nullable String from,
            @Nullable String to) {}

    record Commit(int number, int parent, int merged, NavigableMap<Name, Thing> state) {}

    /** An entity, or one of its properties; an end is {@code from} or {@code to}. */
    record Part(Name entity, @Nullable String property) {}

    /** @param about the properties in conflict; for an orphan the end that was deleted */
    record Conflict(
            Name key,
            String kind,
            Set<String> about,
            @Nullable Thing base,
            @Nullable Thing source,
            @Nullable Thing target) {}

    record Result(String outcome, Set<Conflict> conflicts, NavigableMap<Name, Thing> state) {}

    final List<Commit> commits = new ArrayList<>();
    final Map<String, Integer> heads = new TreeMap<>();
    int crissCrosses;

    MapMerge() {
        commits.add(new Commit(0, -1, -1, new TreeMap<>()));
        heads.put("main", 0);
    }

    Commit head(String branch) {
        return commits.get(heads.get(branch));
    }

    void commit(String branch, int merged, NavigableMap<Name, Thing> state) {
        commits.add(new Commit(commits.size(), heads.get(branch), merged, state));
        heads.put(branch, commits.size() - 1);
    }

    private Set<Integer> ancestors(int commit) {
        Set<Integer> found = new HashSet<>();
        List<Integer> open = new ArrayList<>(List.of(commit));
        while (!open.isEmpty()) {
            int next = open.removeLast();
            if (next >= 0 && found.add(next)) {
                open.add(commits.get(next).parent);
                open.add(commits.get(next).merged);
            }
        }
        return found;
    }

    int mergeBase(int left, int right) {
        return mergeBases(left, right).last();
    }

    NavigableSet<Integer> mergeBases(int left, int right) {
        TreeSet<Integer> common = new TreeSet<>(ancestors(left));
        common.retainAll(ancestors(right));
        Set<Integer> best = new HashSet<>(common);
        for (int one : common) {
            for (int other : ancestors(one)) {
                if (other != one) {
                    best.remove(other);
                }
            }
        }
        crissCrosses += best.size() > 1 ? 1 : 0;
        return new TreeSet<>(best);
    }

    private boolean isFirstParent(int ancestor, int of) {
        int at = of;
        while (at > ancestor) {
            at = commits.get(at).parent;
        }
        return at == ancestor;
    }

    /**
     * The merge, where the parts of {@code sides} take the state of {@code source} or {@code target}, or a value after
     * {@code =}, or none after {@code =}.
     */
    Result merge(String sourceName, String targetName, boolean byProperty, Map<Part, String> sides) {
        return merge(sourceName, targetName, byProperty, sides, true);
    }

    /** @param forward whether a target without commits of its own is moved */
    Result merge(String sourceName, String targetName, boolean byProperty, Map<Part, String> sides, boolean forward) {
        int source = heads.get(sourceName);
        int target = heads.get(targetName);
        NavigableSet<Integer> bases = mergeBases(source, target);
        if (bases.contains(source)) {
            return new Result("ALREADY_UP_TO_DATE", Set.of(), commits.get(target).state);
        }
        if (forward && isFirstParent(target, source)) {
            return new Result("FAST_FORWARD", Set.of(), commits.get(source).state);
        }
        return new ThreeStates(
                        bases.descendingSet().stream()
                                .map(base -> commits.get(base).state)
                                .toList(),
                        commits.get(source).state,
                        commits.get(target).state)
                .merge(byProperty, sides);
    }

    /** The merge of three states, as a revert and a pick are. */
    static Result merge(
            NavigableMap<Name, Thing> base,
            NavigableMap<Name, Thing> source,
            NavigableMap<Name, Thing> target,
            boolean byProperty,
            Map<Part, String> sides) {
        return new ThreeStates(List.of(base), source, target).merge(byProperty, sides);
    }

    /** @param bases of the merge bases, the newest first */
    private record ThreeStates(
            List<NavigableMap<Name, Thing>> bases, NavigableMap<Name, Thing> source, NavigableMap<Name, Thing> target) {

        Result merge(boolean byProperty, Map<Part, String> sides) {
            TreeSet<Name> all = new TreeSet<>(source.keySet());
            bases.forEach(base -> all.addAll(base.keySet()));
            all.addAll(target.keySet());
            NavigableMap<Name, Thing> merged = new TreeMap<>();
            Map<Name, Conflict> disputes = new HashMap<>();
            for (Name key : all) {
                Thing m = one(key, byProperty, sides, disputes);
                if (m != null) {
                    merged.put(key, m);
                }
            }
            Set<Conflict> conflicts = new HashSet<>(disputes.values());
            merged.forEach((key, edge) -> {
                if (key.isEdge() && !disputes.containsKey(key)) {
                    for (Name end : List.of(key.end(edge, true), key.end(edge, false))) {
                        if (isDeleted(end, merged, sides)) {
                            conflicts.add(conflict(key, "ORPHAN_EDGE", Set.of(end.type + " " + end.id)));
                        }
                    }
                }
            });
            addUnique(merged, conflicts);
            addCardinality(merged, conflicts);
            return new Result(conflicts.isEmpty() ? "MERGED" : "CONFLICT", conflicts, merged);
        }

        private @Nullable Thing one(
                Name key, boolean byProperty, Map<Part, String> sides, Map<Name, Conflict> disputes) {
            Thing s = source.get(key);
            Thing t = target.get(key);
            Thing b = bases.getFirst().get(key);
            boolean agreed = bases.stream().allMatch(base -> Objects.equals(base.get(key), b));
            if (Objects.equals(s, t) || (agreed && Objects.equals(b, s))) {
                return t;
            }
            if (agreed && Objects.equals(b, t)) {
                return s;
            }
            String kind =
                    b == null ? "DIVERGENT_INSERT" : s == null || t == null ? "DELETE_VS_UPDATE" : "DIVERGENT_UPDATE";
            if (byProperty && s != null && t != null) {
                return both(key, agreed ? kind : "DIVERGENT_UPDATE", sides, disputes);
            }
            String side = sides.get(new Part(key, null));
            if (side == null) {
                disputes.put(key, conflict(key, agreed ? kind : "AMBIGUOUS_BASE", Set.of()));
            }
            return "source".equals(side) ? s : t;
        }

        private Conflict conflict(Name key, String kind, Set<String> about) {
            return new Conflict(key, kind, about, bases.getFirst().get(key), source.get(key), target.get(key));
        }

        /** Each property for itself. Where one stays in conflict, the entity stays as the target has it. */
        private Thing both(Name key, String kind, Map<Part, String> sides, Map<Name, Conflict> disputes) {
            Map<String, String> s = parts(source.get(key));
            Map<String, String> t = parts(target.get(key));
            TreeSet<String> names = new TreeSet<>(s.keySet());
            names.addAll(t.keySet());
            Map<String, String> merged = new TreeMap<>();
            Set<String> open = new TreeSet<>();
            boolean ambiguous = false;
            for (String name : names) {
                List<@Nullable String> was = new ArrayList<>();
                bases.forEach(base -> was.add(parts(base.get(key)).get(name)));
                String ours = s.get(name);
                String theirs = t.get(name);
                boolean agreed = new HashSet<>(was).size() == 1;
                String value = theirs;
                if (!Objects.equals(ours, theirs) && !(agreed && Objects.equals(was.getFirst(), ours))) {
                    if (agreed && Objects.equals(was.getFirst(), theirs)) {
                        value = ours;
                    } else {
                        String choice = sides.getOrDefault(new Part(key, name), sides.get(new Part(key, null)));
                        ambiguous |= !agreed;
                        if (choice == null) {
                            open.add(name);
                        } else if (choice.startsWith("=")) {
                            value = choice.length() == 1 ? null : choice.substring(1);
                        } else {
                            value = choice.equals("source") ? ours : theirs;
                        }
                    }
                }
                if (value != null) {
                    merged.put(name, value);
                }
            }
            if (!open.isEmpty()) {
                disputes.put(key, conflict(key, ambiguous ? "AMBIGUOUS_BASE" : kind, open));
                return Objects.requireNonNull(target.get(key));
            }
            return thing(merged);
        }

        private static Map<String, String> parts(@Nullable Thing thing) {
            if (thing == null) {
                return Map.of();
            }
            Map<String, String> parts = new TreeMap<>(thing.values);
            if (thing.from != null && thing.to != null) {
                parts.put("from", thing.from);
                parts.put("to", thing.to);
            }
            return parts;
        }

        private static Thing thing(Map<String, String> parts) {
            Map<String, String> values = new TreeMap<>(parts);
            String from = values.remove("from");
            String to = values.remove("to");
            return new Thing(values, from, to);
        }

        private boolean isDeleted(Name node, NavigableMap<Name, Thing> merged, Map<Part, String> sides) {
            return bases.stream().anyMatch(base -> base.containsKey(node))
                    && (sides.containsKey(new Part(node, null))
                            ? !merged.containsKey(node)
                            : !source.containsKey(node) || !target.containsKey(node));
        }

        private void addUnique(NavigableMap<Name, Thing> merged, Set<Conflict> conflicts) {
            merged.forEach((key, entity) -> {
                String nick = entity.values.get("nick");
                Thing was = target.get(key);
                boolean came = nick != null && (was == null || !nick.equals(was.values.get("nick")));
                if (came
                        && merged.entrySet().stream()
                                .anyMatch(other -> !other.getKey().equals(key)
                                        && nick.equals(other.getValue().values.get("nick")))) {
                    conflicts.add(conflict(key, "UNIQUE_VIOLATION", Set.of()));
                }
            });
        }

        private void addCardinality(NavigableMap<Name, Thing> merged, Set<Conflict> conflicts) {
            Set<String> looked = new HashSet<>();
            TreeSet<Name> edges = new TreeSet<>(merged.keySet());
            edges.addAll(target.keySet());
            for (Name key : edges) {
                Thing was = target.get(key);
                Thing is = merged.get(key);
                if (key.type.equals("LivesIn")
                        && !(was != null
                                && is != null
                                && Objects.equals(was.from, is.from)
                                && Objects.equals(was.to, is.to))) {
                    if (was != null) {
                        looked.add(was.from);
                    }
                    if (is != null) {
                        looked.add(is.from);
                    }
                }
            }
            for (String person : looked) {
                boolean deletedByMerge = target.containsKey(new Name("Person", person))
                        && !merged.containsKey(new Name("Person", person));
                long count = merged.entrySet().stream()
                        .filter(entry -> entry.getKey().type.equals("LivesIn"))
                        .filter(entry -> person.equals(entry.getValue().from))
                        .count();
                if (count > 1 && !deletedByMerge) {
                    conflicts.add(new Conflict(
                            new Name("LivesIn", person), "CARDINALITY_VIOLATION", Set.of(), null, null, null));
                }
            }
        }
    }
}
