package service.core.graph.branch;

import java.util.List;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.port.ReadPoint;

/**
 * What a merge brings to its target, whatever the target's head is.
 *
 * @param base state of the merge base
 * @param source net changes from the base to the source's head
 * @param byProperty whether changes of different properties of an entity are combined
 */
record MergeInput(
        ReadPoint base, ChangeBlock source, boolean byProperty, List<Resolution> resolutions, RequestBudget budget) {}
