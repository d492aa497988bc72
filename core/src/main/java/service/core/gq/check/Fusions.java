package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.text.Span;
import service.core.value.PropertyType;

/** The fused rankings of a stage: each binds a slot, which its expression reads. Equal ones are one. */
final class Fusions {
    private final PatternDeclarer declarer;
    private final List<Plan.Fusion> fusions = new ArrayList<>();

    Fusions(PatternDeclarer declarer) {
        this.declarer = declarer;
    }

    List<Plan.Fusion> list() {
        return List.copyOf(fusions);
    }

    /** Refuses fused rankings of a stage whose rows are groups. */
    void requireRows(boolean grouped, QueryFindings findings) {
        for (Plan.Fusion fusion : grouped ? fusions : List.<Plan.Fusion>of()) {
            Span span = new Span(fusion.origin().start(), fusion.origin().end());
            findings.note(
                    "T28",
                    span,
                    "`rrf` cannot stand beside aggregates, whose rows are groups",
                    "rank in one stage, `with { … } order { … } limit 10`, and group in the next");
        }
    }

    /** The score of rankings that are fused with a constant. */
    Expression of(List<Expression.Search> rankings, Expression k, Expression.Origin origin) {
        for (Plan.Fusion known : fusions) {
            if (known.rankings().equals(rankings) && known.k().equals(k)) {
                return new Expression.ValueOf(known.slot(), PropertyType.F64);
            }
        }
        Scope.Slot slot = Scope.Slot.of("#rrf(…)", PropertyType.F64, origin.start());
        declarer.add(slot);
        fusions.add(new Plan.Fusion(slot.number, List.copyOf(rankings), k, origin));
        return new Expression.ValueOf(slot.number, PropertyType.F64);
    }
}
