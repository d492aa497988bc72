package service.projection.merge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A model of histories and merges: whole states in plain maps, written from the text of {@code docs/branches.md} only.
 */
final class MapMerge {
    /** Identifies an entity; types are {@code Person}, {@code City}, {@code Knows}, {@code LivesIn}. */
    record Name(String type, String id) implements Comparable<Name> {
        boolean isEdge() {
            return type.equals("Knows") || type.equals("LivesIn");
        }

        Name end(Thing edge, boolean from) {
            boolean city = type.equals("LivesIn") && !from;
            return new Name(city ? "City" : "Person", from ? edge.from : edge.to);
        }

        @Override
        public int compareTo(Name other) {
            int byType = type.compareTo(other.type);
            return byType != 0 ? byType : id.compareTo(other.id);
        }
    }

    record Thing(
            Map<String, String> values,
            @Nullable String from,
            @Nullable String to) {}

    record Commit(int number, int parent, int merged, NavigableMap<Name, Thing> state) {}

    record Conflict(
            Name key,
            String kind,
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
        return new TreeSet<>(best).last();
    }

    private boolean isFirstParent(int ancestor, int of) {
        int at = of;
        while (at > ancestor) {
            at = commits.get(at).parent;
        }
        return at == ancestor;
    }

    /** The merge, where the entities of {@code sides} take the state of {@code source} or {@code target}. */
    Result merge(String sourceName, String targetName, boolean byProperty, Map<Name, String> sides) {
        int source = heads.get(sourceName);
        int target = heads.get(targetName);
        int base = mergeBase(source, target);
        if (base == source) {
            return new Result("ALREADY_UP_TO_DATE", Set.of(), commits.get(target).state);
        }
        if (isFirstParent(target, source)) {
            return new Result("FAST_FORWARD", Set.of(), commits.get(source).state);
        }
        return new ThreeStates(commits.get(base).state, commits.get(source).state, commits.get(target).state)
                .merge(byProperty, sides);
    }

    private record ThreeStates(
            NavigableMap<Name, Thing> base, NavigableMap<Name, Thing> source, NavigableMap<Name, Thing> target) {

        Result merge(boolean byProperty, Map<Name, String> sides) {
            TreeSet<Name> all = new TreeSet<>(base.keySet());
            all.addAll(source.keySet());
            all.addAll(target.keySet());
            NavigableMap<Name, Thing> merged = new TreeMap<>();
            Map<Name, String> disputes = new HashMap<>();
            for (Name key : all) {
                Thing b = base.get(key);
                Thing s = source.get(key);
                Thing t = target.get(key);
                Thing m;
                if (Objects.equals(s, t) || Objects.equals(b, s)) {
                    m = t;
                } else if (Objects.equals(b, t)) {
                    m = s;
                } else {
                    m = b != null && s != null && t != null && byProperty ? both(b, s, t) : null;
                    String side = sides.get(key);
                    if (m == null && side != null) {
                        m = side.equals("source") ? s : t;
                    } else if (m == null) {
                        disputes.put(
                                key,
                                b == null
                                        ? "DIVERGENT_INSERT"
                                        : s == null || t == null ? "DELETE_VS_UPDATE" : "DIVERGENT_UPDATE");
                        m = t;
                    }
                }
                if (m != null) {
                    merged.put(key, m);
                }
            }
            Set<Conflict> conflicts = new HashSet<>();
            disputes.forEach((key, kind) -> conflicts.add(conflict(key, kind)));
            merged.forEach((key, edge) -> {
                if (key.isEdge() && !disputes.containsKey(key) && isOrphan(key, edge, merged, sides)) {
                    conflicts.add(conflict(key, "ORPHAN_EDGE"));
                }
            });
            addUnique(merged, conflicts);
            addCardinality(merged, conflicts);
            return new Result(conflicts.isEmpty() ? "MERGED" : "CONFLICT", conflicts, merged);
        }

        private Conflict conflict(Name key, String kind) {
            return new Conflict(key, kind, base.get(key), source.get(key), target.get(key));
        }

        private static @Nullable Thing both(Thing b, Thing s, Thing t) {
            TreeSet<String> names = new TreeSet<>(b.values.keySet());
            names.addAll(s.values.keySet());
            names.addAll(t.values.keySet());
            Map<String, String> values = new TreeMap<>();
            for (String name : names) {
                String value = one(b.values.get(name), s.values.get(name), t.values.get(name), "clash");
                if ("clash".equals(value)) {
                    return null;
                }
                if (value != null) {
                    values.put(name, value);
                }
            }
            String from = one(b.from, s.from, t.from, "clash");
            String to = one(b.to, s.to, t.to, "clash");
            return "clash".equals(from) || "clash".equals(to) ? null : new Thing(values, from, to);
        }

        private static @Nullable String one(@Nullable String b, @Nullable String s, @Nullable String t, String clash) {
            if (Objects.equals(s, t) || Objects.equals(b, s)) {
                return t;
            }
            return Objects.equals(b, t) ? s : clash;
        }

        private boolean isOrphan(Name key, Thing edge, NavigableMap<Name, Thing> merged, Map<Name, String> sides) {
            return isDeleted(key.end(edge, true), merged, sides) || isDeleted(key.end(edge, false), merged, sides);
        }

        private boolean isDeleted(Name node, NavigableMap<Name, Thing> merged, Map<Name, String> sides) {
            return base.containsKey(node)
                    && (sides.containsKey(node)
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
                    conflicts.add(conflict(key, "UNIQUE_VIOLATION"));
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
                    conflicts.add(new Conflict(new Name("LivesIn", person), "CARDINALITY_VIOLATION", null, null, null));
                }
            }
        }
    }
}
