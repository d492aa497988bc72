package service.projection.query;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import service.core.port.SearchGauges;
import service.projection.query.vector.SearchOperator;

/** Counts queries that search, by their operators. Any thread. */
final class SearchCounts {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<SearchOperator, Sums> exact = sums();
    private final Map<SearchOperator, Sums> approximate = sums();
    private final LongAdder direct = new LongAdder();

    private record Sums(LongAdder queries, LongAdder nanos) {}

    private static Map<SearchOperator, Sums> sums() {
        Map<SearchOperator, Sums> sums = new EnumMap<>(SearchOperator.class);
        for (SearchOperator operator : SearchOperator.values()) {
            sums.put(operator, new Sums(new LongAdder(), new LongAdder()));
        }
        return sums;
    }

    /** A query has ended. */
    void ran(Set<SearchOperator> operators, boolean isApproximate, long tookNanos, long readDirectly) {
        for (SearchOperator operator : operators) {
            Sums of = Objects.requireNonNull((isApproximate ? approximate : exact).get(operator));
            of.queries.increment();
            of.nanos.add(tookNanos);
        }
        direct.add(readDirectly);
    }

    SearchGauges.Totals gauges() {
        List<SearchGauges.Ran> ran = new ArrayList<>();
        add("exact", exact, ran);
        add("approximate", approximate, ran);
        return new SearchGauges.Totals(ran, direct.sum());
    }

    private static void add(String exactness, Map<SearchOperator, Sums> sums, List<SearchGauges.Ran> into) {
        sums.forEach((operator, of) ->
                into.add(new SearchGauges.Ran(operator.text(), exactness, of.queries.sum(), of.nanos.sum() / NANOS)));
    }
}
