package service.http.auth.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;

/**
 * One change of a valid JSON object that breaks one rule.
 *
 * @param rule a part of the reason of the refusal
 */
record Change(String name, Consumer<ObjectNode> edit, String rule) {
    /** Sets a member; {@code json} is the new value. */
    static Change set(String member, String json, String rule) {
        return new Change(member + " = " + json, node -> node.set(member, Trees.parse(json)), rule);
    }

    /** Removes a member. */
    static Change without(String member) {
        return new Change("without " + member, node -> node.remove(member), "`" + member + "` is missing");
    }

    /** The object with the change. */
    ObjectNode of(ObjectNode valid) {
        ObjectNode changed = valid.deepCopy();
        edit.accept(changed);
        return changed;
    }

    @Override
    public String toString() {
        return name;
    }
}
