package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Variable;
import service.core.schema.IndexDefinition;
import service.core.value.PropertyType;

/**
 * Equalities between a value of other variables and the id or an indexed property of one variable: for each row they
 * find its entities without a scan.
 */
final class Lookups {
    private static final double SEEK_COST = 2;
    private static final double POSTING_COST = 3;

    private final List<Variable> variables;
    private final List<Conjunct> conjuncts;
    private final Statistics statistics;

    Lookups(List<Variable> variables, List<Conjunct> conjuncts, Statistics statistics) {
        this.variables = variables;
        this.conjuncts = conjuncts;
        this.statistics = statistics;
    }

    /**
     * A way to find the entities of a variable.
     *
     * @param index −1 for the id
     * @param each entities for one row
     */
    record Lookup(Conjunct conjunct, int slot, int index, PropertyType property, Expression key, double each) {
        Node over(Node input, int type) {
            return new Node.Lookup(input, slot, type, index, property, key, conjunct.expression(), input.rows() * each);
        }

        double cost(double rows) {
            return rows * (SEEK_COST + POSTING_COST * each);
        }
    }

    /** The look-ups of a variable by values of bound ones. */
    List<Lookup> of(int slot, BitSet bound) {
        List<Lookup> all = new ArrayList<>();
        Variable variable = variables.get(slot);
        if (variable.types().size() != 1) {
            return all;
        }
        for (Conjunct conjunct : conjuncts) {
            if (conjunct.sides() != null && conjunct.expression() instanceof Expression.Compare compare) {
                add(conjunct, compare.left(), compare.right(), variable, bound, all);
                add(conjunct, compare.right(), compare.left(), variable, bound, all);
            }
        }
        return all;
    }

    private void add(
            Conjunct conjunct, Expression own, Expression key, Variable variable, BitSet bound, List<Lookup> into) {
        BitSet read = Expressions.slots(key);
        if (read.get(variable.slot()) || !Conjunct.isWithin(read, bound)) {
            return;
        }
        int type = variable.types().getFirst();
        if (own instanceof Expression.IdOf id && id.slot() == variable.slot()) {
            into.add(new Lookup(conjunct, variable.slot(), -1, PropertyType.STRING, key, 1));
        } else if (own instanceof Expression.PropertyOf of && of.slot() == variable.slot()) {
            Integer identity = of.identityByType().get(type);
            IndexDefinition index = identity == null
                    ? null
                    : statistics.catalog().requireType(type).indexOver(identity);
            if (index != null && key.type() instanceof PropertyType given && StoredForm.isSure(of.type(), given)) {
                into.add(new Lookup(conjunct, variable.slot(), index.identity(), of.type(), key, each(index, type)));
            }
        }
    }

    private double each(IndexDefinition index, int type) {
        if (index.unique()) {
            return 1;
        }
        double distinct = statistics.distinct(index);
        double all = statistics.count(type);
        return distinct > 0 ? Math.max(1, all / distinct) : Math.max(1, Estimates.EQUAL * all);
    }
}
