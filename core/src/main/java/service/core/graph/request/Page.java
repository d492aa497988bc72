package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of commits, newest first.
 *
 * @param nextBefore pass it as {@code before} for the next page; null on the last
 */
public record Page(List<CommitRecord> commits, @Nullable String nextBefore) {}
