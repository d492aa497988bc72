package service.core.graph.branch;

import java.util.List;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.Image;
import service.core.json.Int64Form;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.value.Ulid;

/** The refusal of a merge with conflicts, with what the caller may read of them. Any thread. */
final class MergeRefusal {
    private MergeRefusal() {}

    /**
     * The refusal of a merge with conflicts, or of what works like one.
     *
     * @param what was not possible, as the beginning of a sentence
     * @param target the branch that was to change
     * @param base the merge base
     * @param byProperty whether changes of different properties were combined
     */
    static ServiceException of(
            String what,
            MergeSides sides,
            String target,
            Caller caller,
            MergeRun.Merged merged,
            Ulid base,
            boolean byProperty) {
        int count = merged.conflictCount();
        List<MergeConflict> shown = shown(merged, target, caller);
        return new ServiceException(
                ErrorCode.CONFLICT,
                what
                        + ": "
                        + (count == 1 ? "one conflict" : count + " conflicts, the first")
                        + ": "
                        + (shown.isEmpty()
                                ? "what it is about is only in the target, which you may not read"
                                : shown.getFirst().message())
                        + waysOut(shown, sides, byProperty),
                new ErrorDetail.MergeConflicts(
                        strings -> ConflictJson.array(strings ? Int64Form.STRING : Int64Form.NUMBER, shown),
                        count,
                        base.toString()));
    }

    private static String waysOut(List<MergeConflict> conflicts, MergeSides sides, boolean byProperty) {
        String ofSchema = conflicts.stream().anyMatch(conflict -> conflict.kind() == MergeConflict.Kind.SCHEMA_CONFLICT)
                ? "; `take` the target with `resolutions` for what its schema does not take, or give the source that"
                        + " schema first with `service branch upgrade`"
                : "";
        if (conflicts.stream().noneMatch(conflict -> conflict.kind().isDivergent())) {
            return ofSchema;
        }
        boolean combines = !byProperty && conflicts.stream().anyMatch(MergeRefusal::combines);
        String meaning = sides.meaning();
        return "; take a side with `resolutions`"
                + (meaning == null ? "" : " (" + meaning + ")")
                + (combines
                        ? ", or combine changes of different properties with `" + sides.granularity + " = property`"
                                + (meaning == null
                                        ? ""
                                        : ", or in a statement with `set merge_granularity = \"property\"`")
                        : "")
                + ofSchema;
    }

    /** Whether the two sides have changed different properties, so that a merge by property has no such conflict. */
    private static boolean combines(MergeConflict conflict) {
        Image base = conflict.base();
        Image source = conflict.source();
        Image target = conflict.target();
        return conflict.kind() == MergeConflict.Kind.DIVERGENT_UPDATE
                && base != null
                && source != null
                && target != null
                && !(ThreeWay.decide(List.of(base), source, target, true) instanceof ThreeWay.Disputed);
    }

    /**
     * The conflicts, without the state of a target that the caller may not read, and without those of entities that are
     * in the target alone.
     */
    static List<MergeConflict> shown(MergeRun.Merged merged, String target, Caller caller) {
        return caller.may(Action.READ, target)
                ? merged.conflicts()
                : merged.conflicts().stream()
                        .filter(conflict -> conflict.base() != null || conflict.source() != null)
                        .map(MergeConflict::withoutTarget)
                        .toList();
    }
}
