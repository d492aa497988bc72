package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Block;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Walk;

/** The slots that the parts of a pattern read and bind. */
public final class PatternSlots {
    private PatternSlots() {}

    /** Slots that a block reads and does not bind itself. */
    static BitSet outside(Block block) {
        BitSet slots = new BitSet();
        addUsed(block, slots);
        boundWithin(block.pattern()).forEach(slots::clear);
        return slots;
    }

    /** Slots that a pattern reads or joins, with those of its blocks. */
    static BitSet used(Pattern pattern) {
        BitSet slots = new BitSet();
        addUsed(pattern, slots);
        return slots;
    }

    private static void addUsed(Pattern pattern, BitSet into) {
        for (Traversal t : pattern.traversals()) {
            into.set(t.from());
            into.set(t.to());
            into.or(ruleReads(t));
        }
        pattern.filters().forEach(filter -> Expressions.addSlots(filter, into));
        pattern.blocks().forEach(inner -> addUsed(inner, into));
    }

    private static void addUsed(Block block, BitSet into) {
        addUsed(block.pattern(), into);
        Expression over = block.over();
        if (over != null) {
            Expressions.addSlots(over, into);
        }
    }

    /** The slots that the rule of a walk reads, but for those of a step. */
    static BitSet ruleReads(Traversal t) {
        BitSet slots = new BitSet();
        Walk.Rule rule = t.walk() == null ? null : t.walk().rule();
        if (rule != null) {
            addUsed(rule.where(), slots);
            Expression by = rule.by();
            if (by != null) {
                Expressions.addSlots(by, slots);
            }
            boundWithin(rule.where()).forEach(slots::clear);
            slots.clear(rule.source());
            slots.clear(rule.edge());
            slots.clear(rule.destination());
        }
        return slots;
    }

    private static List<Integer> boundWithin(Pattern pattern) {
        List<Integer> slots = new ArrayList<>(boundBy(pattern));
        for (Block block : pattern.blocks()) {
            slots.addAll(boundWithin(block.pattern()));
            if (block instanceof Block.Value value) {
                slots.add(value.slot());
            }
        }
        return slots;
    }

    /** Slots that a pattern binds, with those of its optional blocks and of what comes before it. */
    public static List<Integer> boundBy(Pattern pattern) {
        List<Integer> slots = new ArrayList<>(pattern.bound());
        for (Traversal t : pattern.traversals()) {
            slots.addAll(t.filled());
        }
        for (Block block : pattern.blocks()) {
            if (block instanceof Block.Optional || block instanceof Block.Given) {
                slots.addAll(boundBy(block.pattern()));
            }
            if (block instanceof Block.Given given && given.output() != null) {
                slots.add(given.output().slot());
            }
        }
        return slots;
    }
}
