package service.projection.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Plan;
import service.core.value.Value;

/** Arguments for the parameters that {@link RandomSource} declares, nulls and zeros among them. */
final class RandomArguments extends Dice {
    RandomArguments(Random random) {
        super(random);
    }

    List<Value> of(Plan.Read plan) {
        List<Value> arguments = new ArrayList<>();
        for (Parameter parameter : plan.parameters()) {
            arguments.add(of(parameter.name()));
        }
        return arguments;
    }

    private Value of(String name) {
        return switch (name) {
            case "i" -> new Value.Int(below(5) - 1);
            // Powers of two, so that sums of quotients are exact in any order of rows.
            case "f" -> new Value.Real(pick(List.of(0.0, -0.0, 0.5, 1.0, 0.25)));
            case "s" -> text();
            case "li" -> list(() -> chance(0.1) ? Value.NULL : new Value.Int(below(4) - 1));
            case "ls" -> list(() -> chance(0.1) ? Value.NULL : text());
            case "ni" -> chance(0.5) ? Value.NULL : new Value.Int(below(3));
            case "ns" -> chance(0.5) ? Value.NULL : text();
            case "c" -> new Value.Text(pick(List.of("oslo", "rome", "bonn")));
            case "k" -> new Value.Int(below(5));
            case "b" -> new Value.Bool(chance(0.5));
            case "u" -> new Value.UInt(chance(0.3) ? -1L - below(2) : below(3));
            case "d" -> new Value.Date(below(3) - 1);
            default -> throw new IllegalArgumentException("no parameter " + name);
        };
    }

    private Value text() {
        return new Value.Text(pick(RandomGraphs.WORDS));
    }

    private Value list(java.util.function.Supplier<Value> item) {
        List<Value> items = new ArrayList<>();
        for (int i = below(4); i > 0; i--) {
            items.add(item.get());
        }
        return new Value.ListOf(items);
    }
}
