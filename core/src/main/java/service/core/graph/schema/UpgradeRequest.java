package service.core.graph.schema;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.schema.migrate.DropApproval;

/**
 * A request to give a branch the schema of {@code main}.
 *
 * @param allowDrop the types that may be dropped although they have entities, by their names on the branch
 * @param dryRun whether to write nothing and to answer what would be done
 */
public record UpgradeRequest(String branch, Set<String> allowDrop, boolean dryRun) {
    public UpgradeRequest {
        allowDrop = Set.copyOf(allowDrop);
    }

    DropApproval approval() {
        return new DropApproval(
                false, allowDrop, "name it in `allow_drop` (`service branch upgrade " + branch + " --allow-drop %s`)");
    }

    /** The key of the write; null without one. */
    @Nullable
    WriteKey<UpgradeResult> key(WriteTerms terms) {
        RequestDigest digest = new RequestDigest("upgrade").add(branch).add(terms.condition());
        allowDrop.stream().sorted().forEach(digest::add);
        return WriteKey.of(terms, digest.add(terms.options().note()), new UpgradeReceipts());
    }
}
