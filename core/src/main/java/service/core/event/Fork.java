package service.core.event;

import service.core.value.Ulid;

/**
 * Where a branch was made from.
 *
 * @param parentIncarnation incarnation of the parent branch
 * @param parentName name of the parent branch
 * @param offset last offset of the parent's incarnation that the new branch sees
 * @param commit the commit that the new branch points to: the head of the parent at that moment, or an earlier commit
 */
public record Fork(int parentIncarnation, String parentName, long offset, Ulid commit) {}
