package service.core.gq.plan;

import service.core.gq.plan.Expression.LoopKind;
import service.core.value.Value;

/** The three-valued result of {@code any}, {@code all} or {@code none} over the conditions of the items so far. */
public final class LoopResult {
    private final LoopKind kind;
    private boolean decided;
    private boolean unknown;

    public LoopResult(LoopKind kind) {
        this.kind = kind;
    }

    /** Adds the condition of an item. */
    public void add(Value holds) {
        add(holds instanceof Value.Bool, holds instanceof Value.Bool(boolean is) && is);
    }

    /** Adds the condition of an item; {@code is} counts where it is known. */
    public void add(boolean isKnown, boolean is) {
        decided |= isKnown && is == (kind != LoopKind.ALL);
        unknown |= !isKnown;
    }

    /** The result for the items so far. */
    public Value value() {
        if (unknown && !decided) {
            return Value.NULL;
        }
        return new Value.Bool(decided == (kind == LoopKind.ANY));
    }
}
