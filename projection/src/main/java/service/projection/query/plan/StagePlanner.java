package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Rewrite;
import service.core.gq.plan.Variable;
import service.core.schema.EntityType;
import service.core.value.PropertyType;
import service.core.value.ValueType;

/**
 * Plans a stage of a read: the match, then grouping, projection, conditions, order and limit. Without grouping or
 * distinctness, conditions on the rows made are conditions of the match; before the sort of an answer only the sort
 * keys are computed, and the outputs are read for the rows that survive it.
 */
final class StagePlanner {
    private final Statistics statistics;
    private final List<Variable> variables;
    private final PatternPlanner patterns;
    private final Plan.Stage stage;
    private final @Nullable Node before;
    private final BitSet boundBefore;
    private Pattern pattern;
    private final List<Expression> outputs = new ArrayList<>();
    private final List<Expression> sortKeys = new ArrayList<>();

    /** Conditions that the match does not answer. */
    private final List<Expression> where = new ArrayList<>();

    /** All conditions, as those of the match: rankings are fused over its rows before any is asked. */
    private final List<Expression> fused = new ArrayList<>();

    /**
     * @param before the plan of the stage before; null for the first
     * @param boundBefore the slots that it leaves
     */
    StagePlanner(
            Statistics statistics,
            List<Variable> variables,
            Choices choices,
            Plan.Stage stage,
            @Nullable Node before,
            BitSet boundBefore) {
        this.statistics = statistics;
        this.variables = variables;
        this.patterns = new PatternPlanner(statistics, variables, choices);
        this.stage = stage;
        this.before = before;
        this.boundBefore = boundBefore;
        stage.result().outputs().forEach(output -> outputs.add(output.expression()));
        stage.order().forEach(key -> sortKeys.add(key.expression()));
        boolean ofRows = !stage.result().grouped() && !stage.result().distinct();
        List<Expression> filters = new ArrayList<>(stage.match().filters());
        for (Expression condition : stage.where()) {
            Expression ofMatch = ofMatch(condition);
            boolean isEarly = isOfMatch(condition) && (ofRows || isOfKeys(ofMatch));
            if (!stage.fusions().isEmpty()) {
                fused.add(ofMatch);
                where.add(condition);
            } else {
                (isEarly ? filters : where).add(isEarly ? ofMatch : condition);
            }
        }
        Pattern match = stage.match();
        this.pattern = new Pattern(match.bound(), match.traversals(), List.copyOf(filters), match.blocks());
    }

    private boolean isOfMatch(Expression condition) {
        BitSet read = Expressions.slots(condition);
        return stage.result().outputs().stream()
                .allMatch(output -> output.slot() < 0 || !read.get(output.slot()) || StageRewrites.isOfMatch(output));
    }

    /** Whether all rows of a group, or all that make one distinct row, meet a condition, or none does. */
    private static boolean isOfKeys(Expression ofMatch) {
        return !Expressions.hasAggregate(ofMatch)
                && !Expressions.canFail(ofMatch)
                && !Expressions.slots(ofMatch).isEmpty();
    }

    /** A condition on the rows made as one on the matches that they are made of. */
    private Expression ofMatch(Expression condition) {
        return switch (condition) {
            case Expression.OutputOf of -> ofMatch(outputs.get(of.index()));
            case Expression.ValueOf value -> {
                for (Plan.Output output : stage.result().outputs()) {
                    if (output.slot() == value.slot()) {
                        yield output.expression();
                    }
                }
                yield value;
            }
            case Expression.SlotRead read -> Expressions.at(read, slotInMatch(read.slot()));
            default -> Rewrite.operands(condition, this::ofMatch);
        };
    }

    /** The slot of the match that a slot after {@code with} is another name of. */
    private int slotInMatch(int slot) {
        for (Plan.Output output : stage.result().outputs()) {
            if (output.slot() == slot && output.expression() instanceof Expression.EntityOf entity) {
                return entity.slot();
            }
        }
        return slot;
    }

    /** The plan of the last stage: its computed columns are the answer. */
    Node returned() {
        RowWindow window = new RowWindow(stage.window().skip(), stage.window().limit());
        Node node = stage.result().grouped() ? grouped(besideOutputs()) : null;
        if (node == null) {
            if (!stage.result().distinct()) {
                return late(window);
            }
            Node match = ranked();
            List<Expression> computed = new ArrayList<>(outputs);
            besideOutputs().forEach(each -> computed.add(inlined(each)));
            node = new Node.Project(match, computed, match.rows());
        }
        if (stage.result().distinct()) {
            node = new Node.Distinct(node, outputs.size(), node.rows());
        }
        int next = outputs.size() + where.size();
        if (!where.isEmpty()) {
            node = new Node.Having(node, range(outputs.size(), next), inlined(where), node.rows() * Estimates.RANGE);
        }
        List<Integer> per = range(
                next + sortKeys.size(),
                next + sortKeys.size() + stage.window().per().size());
        if (!stage.order().isEmpty()) {
            List<Node.Key> keys = keys(next);
            for (int i = 0; i < outputs.size(); i++) {
                keys.add(new Node.Key(i, false));
            }
            node = sorted(node, keys, new Ties(List.of(), List.of()), per, window);
        }
        return limited(node, per, window);
    }

    /** What is computed beside the outputs: conditions, sort keys, and what makes the groups of the window. */
    private List<Expression> besideOutputs() {
        List<Expression> all = new ArrayList<>(where);
        all.addAll(sortKeys);
        all.addAll(stage.window().per());
        return all;
    }

    /**
     * The plan of a stage before the last: its rows hold the variables of {@code with}. They are sorted only when a
     * window depends on their order.
     */
    Node bound() {
        Node node;
        if (stage.result().grouped()) {
            node = grouped(List.of());
        } else {
            Node match = match();
            node = new Node.Project(match, outputs, match.rows());
        }
        if (stage.result().distinct()) {
            node = new Node.Distinct(node, outputs.size(), node.rows());
        }
        List<Integer> slots =
                stage.result().outputs().stream().map(Plan.Output::slot).toList();
        node = new Node.Stage(node, slots, node.rows());
        for (Plan.Output output : stage.result().outputs()) {
            if (output.isEach()) {
                node = new Node.Unnest(
                        node, output.slot(), inlined(output.expression()), node.rows() * Estimates.ITEMS);
            }
        }
        node = stage.window().isOpen() ? node : fuse(node);
        if (!where.isEmpty()) {
            node = new Node.Filter(node, where, false, node.rows() * Estimates.RANGE);
        }
        RowWindow window = new RowWindow(stage.window().skip(), stage.window().limit());
        if (stage.window().isOpen()) {
            return node;
        }
        List<Expression> computed = new ArrayList<>();
        sortKeys.forEach(key -> computed.add(sortable(key)));
        List<Integer> per =
                range(computed.size(), computed.size() + stage.window().per().size());
        computed.addAll(stage.window().per());
        List<Integer> ties = new ArrayList<>();
        List<Integer> last = new ArrayList<>();
        for (Plan.Output output : stage.result().outputs()) {
            Variable variable = variables.get(output.slot());
            ValueType value = variable.value();
            if (value == null) {
                ties.add(output.slot());
            } else {
                last.add(computed.size());
                computed.add(new Expression.ValueOf(output.slot(), value));
            }
        }
        if (!computed.isEmpty()) {
            node = new Node.Project(node, computed, node.rows());
        }
        if (!stage.order().isEmpty()) {
            ties.sort(null);
            node = sorted(node, keys(0), new Ties(ties, last), per, window);
        }
        return limited(node, per, window);
    }

    private static List<Integer> range(int from, int to) {
        List<Integer> columns = new ArrayList<>();
        for (int i = from; i < to; i++) {
            columns.add(i);
        }
        return columns;
    }

    private List<Node.Key> keys(int firstColumn) {
        List<Node.Key> keys = new ArrayList<>();
        for (int i = 0; i < sortKeys.size(); i++) {
            keys.add(new Node.Key(firstColumn + i, stage.order().get(i).descending()));
        }
        return keys;
    }

    /** Entities are sorted by their ids. */
    private static Expression sortable(Expression key) {
        return key instanceof Expression.EntityOf e ? new Expression.IdOf(e.slot()) : key;
    }

    private Node match() {
        if (before != null) {
            return patterns.plan(pattern, before, boundBefore);
        }
        Ordering ordering = sortKeys.isEmpty()
                ? null
                : Ordering.of(stage, pattern, inlined(sortKeys.getFirst()), statistics, variables);
        return patterns.plan(pattern, ordering);
    }

    /** The match with fused rankings, and the conditions that are asked after them. */
    private Node ranked() {
        Node node = fuse(match());
        return fused.isEmpty() ? node : new Node.Filter(node, fused, false, node.rows() * Estimates.RANGE);
    }

    private Node fuse(Node rows) {
        return stage.fusions().isEmpty() ? rows : new Node.Fuse(rows, stage.fusions(), -1, null, rows.rows());
    }

    /** Takes out of the match the blocks whose values only the outputs read, if these are computed for fewer rows. */
    private List<Pattern.Block.Value> takeLate() {
        boolean isKept = stage.order().isEmpty() ? !stage.window().isOpen() : !tiesByColumns();
        BitSet read = new BitSet();
        pattern.filters().forEach(filter -> Expressions.addSlots(filter, read));
        inlined(sortKeys).forEach(key -> Expressions.addSlots(key, read));
        inlined(stage.window().per()).forEach(each -> Expressions.addSlots(each, read));
        List<Pattern.Block.Value> late = new ArrayList<>();
        List<Pattern.Block> blocks = new ArrayList<>();
        for (Pattern.Block block : pattern.blocks()) {
            if (isKept && block instanceof Pattern.Block.Value value && !read.get(value.slot())) {
                late.add(value);
            } else {
                blocks.add(block);
            }
        }
        pattern = new Pattern(pattern.bound(), pattern.traversals(), pattern.filters(), blocks);
        return late;
    }

    /** Whether rows with equal entities may differ in values, so that columns break ties. */
    private boolean tiesByColumns() {
        return held().stream().anyMatch(slot -> variables.get(slot).value() != null);
    }

    /** The slots that the rows of the match hold. */
    private BitSet held() {
        BitSet bound = (BitSet) boundBefore.clone();
        PatternSlots.boundBy(pattern).forEach(bound::set);
        return bound;
    }

    /** Sorts and limits, then computes the outputs. */
    private Node late(RowWindow window) {
        List<Pattern.Block.Value> values = takeLate();
        Node node = ranked();
        List<Expression> computed = new ArrayList<>();
        sortKeys.forEach(key -> computed.add(sortable(inlined(key))));
        List<Integer> per =
                range(computed.size(), computed.size() + stage.window().per().size());
        computed.addAll(inlined(stage.window().per()));
        List<Integer> last = new ArrayList<>();
        BitSet bound = held();
        if (!stage.order().isEmpty() && tiesByColumns()) {
            outputs.forEach(output -> {
                last.add(computed.size());
                computed.add(sortable(inlined(output)));
            });
        }
        if (!computed.isEmpty()) {
            node = new Node.Project(node, computed, node.rows());
        }
        if (!stage.order().isEmpty()) {
            List<Integer> ties = bound.stream()
                    .filter(slot -> variables.get(slot).kind() != null)
                    .boxed()
                    .toList();
            node = sorted(node, keys(0), new Ties(ties, last), per, window);
        }
        node = limited(node, per, window);
        for (Pattern.Block.Value value : values) {
            node = patterns.valueOf(node, bound, value);
        }
        return new Node.Project(node, inlined(outputs), node.rows());
    }

    /** The order of rows with equal sort keys: by the ids of entities, then by columns. */
    private record Ties(List<Integer> slots, List<Integer> columns) {}

    private Node sorted(Node input, List<Node.Key> keys, Ties ties, List<Integer> per, RowWindow window) {
        RowWindow kept = window.limit() == null ? null : window;
        double rows = kept == null || !per.isEmpty() ? input.rows() : window.needed(input.rows());
        return SearchTops.of(new Node.Sort(input, keys, ties.slots, ties.columns, inlined(sortKeys), kept, per, rows));
    }

    private Node limited(Node input, List<Integer> per, RowWindow window) {
        if (stage.window().isOpen()) {
            return input;
        }
        return per.isEmpty()
                ? new Node.Limit(input, window, window.left(input.rows()))
                : new Node.LimitPer(input, per, inlined(stage.window().per()), window, input.rows());
    }

    private List<Expression> inlined(List<Expression> expressions) {
        return expressions.stream().map(this::inlined).toList();
    }

    /** Replaces references to outputs by their expressions. */
    private Expression inlined(Expression expression) {
        return expression instanceof Expression.OutputOf of
                ? inlined(outputs.get(of.index()))
                : Rewrite.operands(expression, this::inlined);
    }

    /**
     * Groups, then computes outputs from the keys and aggregates of the groups.
     *
     * @param more what is computed after the outputs
     */
    private Node grouped(List<Expression> more) {
        List<Expression> given = new ArrayList<>();
        for (Expression output : outputs) {
            if (!Expressions.hasAggregate(output) && !given.contains(inlined(output))) {
                given.add(inlined(output));
            }
        }
        BitSet entities = new BitSet();
        given.forEach(key -> addEntity(key, entities));
        List<Expression> keys = byEntity(given, entities);
        List<Expression.Aggregate> aggregates = new ArrayList<>();
        List<Expression> computed = new ArrayList<>();
        outputs.forEach(output -> computed.add(overGroups(inlined(output), keys, entities, aggregates)));
        more.forEach(each -> computed.add(overGroups(inlined(each), keys, entities, aggregates)));
        Node counts = before == null && keys.isEmpty() ? WholeCounts.of(pattern, aggregates, variables) : null;
        if (counts != null) {
            return new Node.Project(counts, computed, 1);
        }
        Node match = match();
        double rows = keys.isEmpty() ? 1 : Math.max(1, Math.sqrt(match.rows()));
        Node groups = new Node.Aggregate(match, keys, aggregates, rows);
        return new Node.Project(groups, computed, rows);
    }

    /** Adds the slot whose entity a key identifies: by its id, or by the property that is the key of its type. */
    private void addEntity(Expression key, BitSet into) {
        switch (key) {
            case Expression.EntityOf e -> into.set(e.slot());
            case Expression.IdOf e when isOfOneType(e.slot()) -> into.set(e.slot());
            case Expression.PropertyOf e when isOfOneType(e.slot()) && isKey(e) -> into.set(e.slot());
            default -> {}
        }
    }

    /** Entities of several types can have the same id. */
    private boolean isOfOneType(int slot) {
        return variables.get(slot).types().size() == 1;
    }

    /** Different floating-point numbers can be equal, so a key of that type is not one. */
    private boolean isKey(Expression.PropertyOf property) {
        int type = variables.get(property.slot()).types().getFirst();
        Integer identity = property.identityByType().get(type);
        return identity != null
                && statistics.catalog().requireType(type) instanceof EntityType.NodeType node
                && node.key().equals(List.of(identity))
                && !(property.type() instanceof PropertyType.Scalar scalar
                        && scalar.scalar().isFloat());
    }

    /** The same groups by entities, which are compared as numbers, without the keys that follow from them. */
    private List<Expression> byEntity(List<Expression> given, BitSet entities) {
        List<Expression> keys = new ArrayList<>();
        entities.stream().forEach(slot -> keys.add(variables.get(slot).entity()));
        for (Expression key : given) {
            if (!follows(key, entities)) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** Whether an expression has one value for each combination of entities in the slots. */
    private static boolean follows(Expression expression, BitSet entities) {
        BitSet others = Expressions.slots(expression);
        boolean isConstant = others.isEmpty();
        others.andNot(entities);
        return !isConstant && others.isEmpty();
    }

    /** An expression over the columns of the groups and, for what follows from entities, over those. */
    private static Expression overGroups(
            Expression expression, List<Expression> keys, BitSet entities, List<Expression.Aggregate> aggregates) {
        int key = keys.indexOf(expression);
        if (key >= 0) {
            return new Expression.OutputOf(key, expression.type());
        }
        if (expression instanceof Expression.Aggregate aggregate) {
            int known = aggregates.indexOf(aggregate);
            if (known < 0) {
                known = aggregates.size();
                aggregates.add(aggregate);
            }
            return new Expression.OutputOf(keys.size() + known, aggregate.type());
        }
        return !Expressions.hasAggregate(expression) && follows(expression, entities)
                ? expression
                : Rewrite.operands(expression, child -> overGroups(child, keys, entities, aggregates));
    }
}
