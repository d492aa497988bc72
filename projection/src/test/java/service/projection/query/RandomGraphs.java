package service.projection.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import service.core.testkit.HeapGraph;
import service.core.value.Value;

/**
 * Random small graphs over {@link QuerySchema}: few values, so that much is equal, nulls, dead entities, parallel edges
 * and loops.
 */
final class RandomGraphs extends Dice {
    static final List<String> WORDS = List.of("ann", "anna", "bo", "bob", "é", "𝄞x", "");

    RandomGraphs(Random random) {
        super(random);
    }

    HeapGraph graph() {
        HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
        int persons = below(8);
        for (int i = 0; i < persons; i++) {
            HeapGraph.Entity person = graph.add(QuerySchema.PERSON, "p" + (i * 7 % 11));
            put(person, QuerySchema.NAME, new Value.Text(pick(WORDS)));
            put(person, QuerySchema.AGE, new Value.Int(below(4) - 1));
            put(person, QuerySchema.SCORE, new Value.Real(below(5) * 0.5 - 0.5));
            put(person, QuerySchema.CITY, new Value.Text(pick(List.of("oslo", "rome", "bonn"))));
            put(person, QuerySchema.ACTIVE, new Value.Bool(chance(0.5)));
            put(person, QuerySchema.BORN, new Value.Date(below(3) - 1));
            put(person, QuerySchema.BIG, new Value.UInt(chance(0.3) ? -1L - below(2) : below(3)));
            put(person, QuerySchema.SEEN, new Value.DateTime((below(3) - 1) * 43_200_000L));
            put(person, QuerySchema.RATIO, new Value.Real(below(3) * 0.25f));
            put(person, QuerySchema.TAGS, new Value.ListOf(List.of(new Value.Text(WORDS.get(below(3))))));
            person.live = chance(0.9);
        }
        int companies = below(4);
        for (int i = 0; i < companies; i++) {
            HeapGraph.Entity company = graph.add(QuerySchema.COMPANY, WORDS.get(i));
            company.properties.put(QuerySchema.TITLE, new Value.Text(WORDS.get(i)));
            put(company, QuerySchema.SIZE, new Value.Int(below(3)));
        }
        edges(graph, QuerySchema.KNOWS, QuerySchema.PERSON, QuerySchema.SINCE, below(14));
        edges(graph, QuerySchema.LIKES, QuerySchema.PERSON, 0, below(6));
        edges(graph, QuerySchema.WORKS_AT, QuerySchema.COMPANY, QuerySchema.ROLE, below(7));
        citations(graph, below(9));
        return graph;
    }

    /** Edges whose ends have several types. */
    private void citations(HeapGraph graph, int count) {
        List<HeapGraph.Entity> ends = new ArrayList<>(graph.live(QuerySchema.PERSON));
        ends.addAll(graph.live(QuerySchema.COMPANY));
        for (int i = 0; i < count && !ends.isEmpty(); i++) {
            HeapGraph.Entity edge = graph.addEdge(QuerySchema.CITES, "cites-" + i, pick(ends), pick(ends));
            put(edge, QuerySchema.YEAR, new Value.Int(below(3)));
            edge.live = chance(0.9);
        }
    }

    private void put(HeapGraph.Entity entity, int property, Value value) {
        if (chance(0.8)) {
            entity.properties.put(property, value);
        }
    }

    private void edges(HeapGraph graph, int type, int to, int property, int count) {
        List<HeapGraph.Entity> sources = graph.live(QuerySchema.PERSON);
        List<HeapGraph.Entity> targets = graph.live(to);
        for (int i = 0; i < count && !sources.isEmpty() && !targets.isEmpty(); i++) {
            HeapGraph.Entity edge = graph.addEdge(type, "e" + type + "-" + i, pick(sources), pick(targets));
            if (property == QuerySchema.SINCE) {
                put(edge, property, new Value.Int(below(3)));
            } else if (property == QuerySchema.ROLE) {
                put(edge, property, new Value.Text(WORDS.get(below(3))));
            }
            edge.live = chance(0.9);
        }
    }
}
