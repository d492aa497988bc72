package service.core.graph.request;

import java.util.List;
import service.core.json.Int64Form;

/**
 * What a mutation answers after its statements.
 *
 * @param columns their names
 * @param numbers a JSON array of rows, each an object, in the form {@link Int64Form#NUMBER}
 * @param strings the same in the form {@link Int64Form#STRING}
 */
public record AnsweredRows(List<String> columns, String numbers, String strings) implements MutationEffect {
    /** The rows in a form. */
    public String rows(Int64Form form) {
        return switch (form) {
            case NUMBER -> numbers;
            case STRING -> strings;
        };
    }
}
