package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.value.ValueType;

/**
 * Moves work to earlier stages and leaves out what no later stage reads, from the last stage to the first: a condition
 * on what a stage leaves becomes one of that stage, unless its rows are counted off before; a variable that the next
 * stage does not read, and whose entity breaks no ties of the answer, is not computed, nor is the block for it.
 */
final class StageRewrites {
    private StageRewrites() {}

    /** The stages that make the same rows with less work. */
    static List<Plan.Stage> of(List<Plan.Stage> stages) {
        List<Plan.Stage> all = new ArrayList<>(stages);
        for (int i = all.size() - 1; i > 0; i--) {
            Plan.Stage before = all.get(i - 1);
            if (before.window().isOpen()) {
                all.set(i - 1, withConditionsOf(all.get(i), before));
                all.set(i, withoutConditionsOn(before, all.get(i)));
                BitSet read = read(all.get(i));
                if (i == all.size() - 1 && tiesByEntities(all.get(i))) {
                    addEntities(all.get(i - 1), read);
                }
                all.set(i - 1, pruned(all.get(i - 1), read));
            }
        }
        return all;
    }

    private static boolean isOn(Plan.Stage before, Expression condition) {
        BitSet slots = Expressions.slots(condition);
        return !slots.isEmpty() && !Expressions.canFail(condition) && Conjunct.isWithin(slots, left(before));
    }

    /**
     * Whether a condition on a variable of {@code with} can be one on the match: not where it is an item of a list, or
     * an entity that is in no slot of the match.
     */
    static boolean isOfMatch(Plan.Output output) {
        boolean isNewEntity = output.expression().type() instanceof ValueType.Entity
                && !(output.expression() instanceof Expression.EntityOf);
        return !output.isEach() && !isNewEntity;
    }

    /** The slots of the variables that a stage leaves and whose conditions may move to it. */
    private static BitSet left(Plan.Stage stage) {
        BitSet slots = new BitSet();
        for (Plan.Output output : stage.result().outputs()) {
            if (isOfMatch(output)) {
                slots.set(output.slot());
            }
        }
        return slots;
    }

    private static Plan.Stage withConditionsOf(Plan.Stage next, Plan.Stage stage) {
        List<Expression> where = new ArrayList<>(stage.where());
        next.match().filters().stream()
                .filter(condition -> isOn(stage, condition))
                .forEach(where::add);
        return new Plan.Stage(stage.match(), stage.result(), where, stage.order(), stage.window(), stage.fusions());
    }

    private static Plan.Stage withoutConditionsOn(Plan.Stage before, Plan.Stage stage) {
        Pattern match = stage.match();
        List<Expression> filters = match.filters().stream()
                .filter(condition -> !isOn(before, condition))
                .toList();
        Pattern fewer = new Pattern(match.bound(), match.traversals(), filters, match.blocks());
        return new Plan.Stage(fewer, stage.result(), stage.where(), stage.order(), stage.window(), stage.fusions());
    }

    /** Whether the last stage orders rows, whose ties are broken by all entities that they hold, read or not. */
    private static boolean tiesByEntities(Plan.Stage last) {
        return !last.order().isEmpty()
                && !last.result().grouped()
                && !last.result().distinct();
    }

    private static void addEntities(Plan.Stage before, BitSet into) {
        for (Plan.Output output : before.result().outputs()) {
            if (output.expression().type() instanceof ValueType.Entity) {
                into.set(output.slot());
            }
        }
    }

    /** The slots that a stage reads of the one before it, among others. */
    private static BitSet read(Plan.Stage stage) {
        BitSet read = PatternSlots.used(stage.match());
        addList(stage, read);
        stage.result().outputs().forEach(output -> Expressions.addSlots(output.expression(), read));
        return read;
    }

    private static void addList(Plan.Stage stage, BitSet into) {
        stage.where().forEach(condition -> Expressions.addSlots(condition, into));
        stage.order().forEach(key -> Expressions.addSlots(key.expression(), into));
        stage.window().per().forEach(each -> Expressions.addSlots(each, into));
        stage.fusions().forEach(fusion -> fusion.rankings().forEach(ranking -> Expressions.addSlots(ranking, into)));
    }

    /** A stage whose rows are all kept, without what is not read. Group keys and distinct columns make the rows. */
    private static Plan.Stage pruned(Plan.Stage stage, BitSet read) {
        Plan.Result result = stage.result();
        if (result.distinct()) {
            return stage;
        }
        BitSet wanted = (BitSet) read.clone();
        addList(stage, wanted);
        List<Plan.Output> outputs = new ArrayList<>();
        for (Plan.Output output : result.outputs()) {
            boolean makesRows = output.isEach() || (result.grouped() && !Expressions.hasAggregate(output.expression()));
            if (makesRows || wanted.get(output.slot())) {
                outputs.add(output);
            }
        }
        if (outputs.isEmpty()) {
            outputs.add(result.outputs().getFirst());
        }
        BitSet used = new BitSet();
        outputs.forEach(output -> Expressions.addSlots(output.expression(), used));
        addList(stage, used);
        Pattern match = stage.match();
        match.filters().forEach(filter -> Expressions.addSlots(filter, used));
        List<Pattern.Block> blocks = match.blocks().stream()
                .filter(block -> !(block instanceof Pattern.Block.Value value) || used.get(value.slot()))
                .toList();
        return new Plan.Stage(
                new Pattern(match.bound(), match.traversals(), match.filters(), blocks),
                new Plan.Result(outputs, false, result.grouped()),
                stage.where(),
                stage.order(),
                stage.window(),
                stage.fusions());
    }
}
