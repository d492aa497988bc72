package service.projection.query;

import java.util.List;
import java.util.Random;
import service.core.value.Value;

/**
 * Random small graphs over the schema of {@link HeapGraph}: few values, so that much is equal, nulls, dead entities,
 * parallel edges and loops.
 */
final class RandomGraphs extends Dice {
    static final List<String> WORDS = List.of("ann", "anna", "bo", "bob", "é", "𝄞x", "");

    RandomGraphs(Random random) {
        super(random);
    }

    HeapGraph graph() {
        HeapGraph graph = new HeapGraph();
        int persons = below(8);
        for (int i = 0; i < persons; i++) {
            HeapGraph.Entity person = graph.add(HeapGraph.PERSON, "p" + (i * 7 % 11));
            put(person, HeapGraph.NAME, new Value.Text(pick(WORDS)));
            put(person, HeapGraph.AGE, new Value.Int(below(4) - 1));
            put(person, HeapGraph.SCORE, new Value.Real(below(5) * 0.5 - 0.5));
            put(person, HeapGraph.CITY, new Value.Text(pick(List.of("oslo", "rome", "bonn"))));
            put(person, HeapGraph.ACTIVE, new Value.Bool(chance(0.5)));
            put(person, HeapGraph.BORN, new Value.Date(below(3) - 1));
            put(person, HeapGraph.BIG, new Value.UInt(chance(0.3) ? -1L - below(2) : below(3)));
            put(person, HeapGraph.SEEN, new Value.DateTime((below(3) - 1) * 43_200_000L));
            put(person, HeapGraph.RATIO, new Value.Real(below(3) * 0.25f));
            put(person, HeapGraph.TAGS, new Value.ListOf(List.of(new Value.Text(WORDS.get(below(3))))));
            person.live = chance(0.9);
        }
        int companies = below(4);
        for (int i = 0; i < companies; i++) {
            HeapGraph.Entity company = graph.add(HeapGraph.COMPANY, WORDS.get(i));
            company.properties.put(HeapGraph.TITLE, new Value.Text(WORDS.get(i)));
            put(company, HeapGraph.SIZE, new Value.Int(below(3)));
        }
        edges(graph, HeapGraph.KNOWS, HeapGraph.PERSON, HeapGraph.SINCE, below(14));
        edges(graph, HeapGraph.LIKES, HeapGraph.PERSON, 0, below(6));
        edges(graph, HeapGraph.WORKS_AT, HeapGraph.COMPANY, HeapGraph.ROLE, below(7));
        return graph;
    }

    private void put(HeapGraph.Entity entity, int property, Value value) {
        if (chance(0.8)) {
            entity.properties.put(property, value);
        }
    }

    private void edges(HeapGraph graph, int type, int to, int property, int count) {
        List<HeapGraph.Entity> sources = graph.live(HeapGraph.PERSON);
        List<HeapGraph.Entity> targets = graph.live(to);
        for (int i = 0; i < count && !sources.isEmpty() && !targets.isEmpty(); i++) {
            HeapGraph.Entity edge = graph.addEdge(type, "e" + type + "-" + i, pick(sources), pick(targets));
            if (property == HeapGraph.SINCE) {
                put(edge, property, new Value.Int(below(3)));
            } else if (property == HeapGraph.ROLE) {
                put(edge, property, new Value.Text(WORDS.get(below(3))));
            }
            edge.live = chance(0.9);
        }
    }
}
