package service.core.graph.mutate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeReader;
import service.core.event.Image;
import service.core.gq.eval.EntityRow;
import service.core.gq.eval.Evaluator;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.EntityType;
import service.core.value.Value;

/**
 * The entities that the predicates of a mutation find in one state of a branch, by statement. A predicate refers to one
 * entity only, so that in a later state only the entities that commits have changed since must be evaluated again: the
 * writer reuses the scan of the caller's thread. One thread at a time.
 */
final class Selections {
    private final Plan.Mutation plan;
    private final Evaluator evaluator;

    /** Ordinals by statement, ascending; empty for inserts. */
    private final List<int[]> ordinals = new ArrayList<>();

    private Branch over;

    /**
     * Evaluates the predicates.
     *
     * @param view of the branch's head
     */
    Selections(MutationContext context, Branch branch, GraphView view) {
        QueryExecutor.Limits limits = context.limits();
        List<Value> arguments = context.compiled().arguments();
        this.plan = context.compiled().plan();
        this.evaluator = context.evaluatorForWriter();
        this.over = branch;
        for (Plan.Statement statement : plan.statements()) {
            Expression predicate = predicate(statement);
            ordinals.add(
                    predicate == null
                            ? new int[0]
                            : context.executor().select(type(statement), predicate, arguments, view, limits));
        }
    }

    private static @Nullable Expression predicate(Plan.Statement statement) {
        return switch (statement) {
            case Plan.Statement.Update update -> update.predicate();
            case Plan.Statement.Delete delete -> delete.predicate();
            case Plan.Statement.InsertNode ignored -> null;
            case Plan.Statement.InsertEdge ignored -> null;
            case Plan.Statement.UpdateBound ignored -> null;
            case Plan.Statement.DeleteBound ignored -> null;
            case Plan.Statement.ForEach ignored -> null;
        };
    }

    /** The type of a statement with a predicate. */
    private static int type(Plan.Statement statement) {
        return statement.types().getFirst();
    }

    /** The ordinals that a statement finds, ascending; some may not be live any more. */
    int[] of(int statement) {
        return ordinals.get(statement);
    }

    /** Whether a predicate finds the entity of the reader's current change, as it is after the change. */
    boolean finds(EntityType type, ChangeReader change) {
        Image after = change.after();
        if (after == null) {
            return false;
        }
        for (Plan.Statement statement : plan.statements()) {
            Expression predicate = predicate(statement);
            if (predicate != null && type(statement) == type.identity() && holds(predicate, type, change.id(), after)) {
                return true;
            }
        }
        return false;
    }

    private boolean holds(Expression predicate, EntityType type, String id, Image image) {
        return evaluator.holds(predicate, EntityRow.of(type, id, image));
    }

    /**
     * Brings the selections to a later head of the same branch.
     *
     * @param view of that head
     * @param changesMax maximum number of changed entities to evaluate
     * @return false, without an effect, when there are more
     */
    boolean advance(GraphSession session, GraphView view, Branch to, long changesMax) {
        List<Map<Integer, Boolean>> moved = new ArrayList<>();
        plan.statements().forEach(statement -> moved.add(new HashMap<>()));
        long seen = 0;
        for (long place = over.historyLength(); place < to.historyLength(); place++) {
            ChangeReader since =
                    session.commit(session.history(to.incarnation(), place), 0).changes();
            seen += since.count();
            if (seen > changesMax) {
                return false;
            }
            while (since.next()) {
                record(view, since, moved);
            }
        }
        for (int statement = 0; statement < moved.size(); statement++) {
            if (!moved.get(statement).isEmpty()) {
                ordinals.set(statement, merged(ordinals.get(statement), moved.get(statement)));
            }
        }
        over = to;
        return true;
    }

    /** Records for each statement whether it finds the entity in the view. */
    private void record(GraphView view, ChangeReader since, List<Map<Integer, Boolean>> moved) {
        for (int i = 0; i < moved.size(); i++) {
            Plan.Statement statement = plan.statements().get(i);
            Expression predicate = predicate(statement);
            if (predicate != null && type(statement) == since.type()) {
                EntityType type = view.catalog().requireType(since.type());
                String id = since.id();
                int ordinal = view.lookup(type.identity(), id);
                if (ordinal >= 0) {
                    moved.get(i).put(ordinal, holds(predicate, type, id, view.image(type.identity(), ordinal)));
                }
            }
        }
    }

    private static int[] merged(int[] selected, Map<Integer, Boolean> moved) {
        IntStream kept = Arrays.stream(selected).filter(ordinal -> !moved.containsKey(ordinal));
        IntStream found = moved.entrySet().stream().filter(Map.Entry::getValue).mapToInt(Map.Entry::getKey);
        return IntStream.concat(kept, found).sorted().toArray();
    }
}
