package service.core.graph.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.budget.NoWaiting;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.port.QueryExecutor;
import service.core.value.Value;

/**
 * The vectors of the texts of one read. A provider is asked while no view is open, because it may take seconds: a read
 * first says which texts it has, is left, and runs when their vectors are here. One thread.
 */
final class TextVectors {
    private final Embeddings embeddings;
    private final Map<Text, Value> known = new HashMap<>();
    private final Set<Text> wanted = new LinkedHashSet<>();
    private QueryExecutor.@Nullable Limits limits;

    private record Text(String text, int dimensions) {}

    TextVectors(Embeddings embeddings) {
        this.embeddings = embeddings;
    }

    /**
     * The arguments of a read with the vectors of its texts, those of null being null.
     *
     * @return null when {@link #embed} has to be called first
     * @throws service.core.error.ServiceException BAD_REQUEST with the diagnostic R3 when the graph has no provider of
     *     the model
     */
    @Nullable
    List<Value> with(Plan.Read plan, List<Value> arguments, QueryExecutor.Limits within) {
        List<Value> all = new ArrayList<>(arguments);
        for (Plan.Embedding embedding : plan.embeddings()) {
            String text = text(embedding.text(), arguments);
            if (text == null) {
                all.add(Value.NULL);
                continue;
            }
            String refusal = embeddings.refusal(embedding.model());
            if (refusal != null) {
                throw embedding.origin().fault("R3", "`nearest` searches for a text, but " + refusal, null);
            }
            Text key = new Text(text, embedding.type().dimensions());
            Value vector = known.get(key);
            if (vector == null) {
                wanted.add(key);
            } else {
                all.add(vector);
            }
        }
        limits = within;
        return wanted.isEmpty() ? all : null;
    }

    /** Asks the provider for the vectors that are missing. Blocks; no view may be open. */
    void embed() {
        NoWaiting.giveUp();
        QueryExecutor.Limits within = limits;
        if (within == null) {
            throw new IllegalStateException("no read has said what it needs");
        }
        Map<Integer, List<String>> byDimensions = new HashMap<>();
        wanted.forEach(text -> byDimensions
                .computeIfAbsent(text.dimensions, any -> new ArrayList<>())
                .add(text.text));
        byDimensions.forEach((dimensions, texts) -> {
            List<float[]> vectors = embeddings.vectors(texts, dimensions, within);
            for (int i = 0; i < texts.size(); i++) {
                known.put(new Text(texts.get(i), dimensions), new Value.Vector(vectors.get(i)));
            }
        });
        wanted.clear();
    }

    private static @Nullable String text(Expression expression, List<Value> arguments) {
        Value value = switch (expression) {
            case Expression.Literal literal -> literal.value();
            case Expression.Argument argument -> arguments.get(argument.index());
            default -> throw new IllegalStateException("a text is a literal or an argument");
        };
        return value instanceof Value.Text text ? text.value() : null;
    }
}
