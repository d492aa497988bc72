package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tags by name.
 *
 * @param nextAfter the name after which the next page begins; null at the end
 */
public record TagPage(List<TagRecord> tags, @Nullable String nextAfter) {}
