package service.projection.query;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Random draws of a generator, all from one seed. */
abstract class Dice {
    final Random random;

    Dice(Random random) {
        this.random = random;
    }

    final int below(int n) {
        return random.nextInt(n);
    }

    final boolean chance(double p) {
        return random.nextDouble() < p;
    }

    final <T> T pick(List<T> items) {
        return items.get(below(items.size()));
    }

    @SafeVarargs
    final String any(Supplier<String>... forms) {
        return forms[below(forms.length)].get();
    }
}
