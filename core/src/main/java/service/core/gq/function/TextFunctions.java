package service.core.gq.function;

import service.core.value.Value;

/** Values of functions of texts and lists. */
final class TextFunctions {
    private TextFunctions() {}

    static int length(Value textOrList) {
        if (textOrList instanceof Value.ListOf list) {
            return list.items().size();
        }
        String text = ((Value.Text) textOrList).value();
        return text.codePointCount(0, text.length());
    }
}
