package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.GraphAddress;
import service.cli.boot.GraphMaintenance;
import service.cli.client.CommandFailure;
import service.cli.render.TextTable;
import service.core.error.ServiceException;
import service.core.port.RetentionPolicy;
import service.projection.storage.Cleanup;

/** Reclaims the images of old commits. */
@Command(
        name = "cleanup",
        description = {
            "Reclaims the changes of old commits and the states between them.",
            "Every branch head, every fork point of a branch, every tag, and the records of all commits stay."
        },
        footer = {
            "",
            "Examples:",
            "  service cleanup --keep 1000 --store people             what it would reclaim",
            "  service cleanup --keep 1000 --confirm --store people   reclaims it",
            "  service cleanup --older-than 30d --confirm --cluster company --graph people"
        })
final class CleanupCommand extends AnswerCommand {
    private static final int TAGS_SHOWN = 10;

    @Mixin
    private DirectoryOptions address = new DirectoryOptions();

    @Mixin
    private ConfirmOption ask = new ConfirmOption();

    @Option(names = "--keep", paramLabel = "N", description = "Keep the newest N commits of each branch.")
    private @Nullable Long keep;

    @Option(names = "--older-than", paramLabel = "AGE", description = "Keep what is younger, such as 12h or 7d.")
    private @Nullable String olderThan;

    @Option(names = "--confirm", description = "Reclaim; without it, only print what would be reclaimed.")
    private boolean confirm;

    @Option(
            names = "--even-if-larger",
            description = "With --confirm, reclaim also when a backup of the graph is larger afterwards.")
    private boolean even;

    @Override
    Answer answer() {
        if (keep == null && olderThan == null) {
            throw CommandFailure.usage("say how much to keep: --keep N, --older-than AGE or both");
        }
        if (keep != null && keep < 1) {
            throw CommandFailure.usage("--keep is a positive number of commits");
        }
        RetentionPolicy policy = policy();
        GraphAddress graph = address.directory();
        if (confirm) {
            ask.require(address, output, "reclaim history of " + graph.graphId());
        }
        GraphMaintenance.Cleaning how = !confirm
                ? GraphMaintenance.Cleaning.PREVIEW
                : even ? GraphMaintenance.Cleaning.ALWAYS : GraphMaintenance.Cleaning.IF_SMALLER;
        ObjectNode report = Progress.during(output, "cleaning up", () -> GraphMaintenance.cleanup(graph, policy, how));
        if (!confirm) {
            output.note("nothing was changed; pass --confirm to reclaim it");
        }
        return Answer.line(report, sentence(report) + pinnedBy(report.path("pinned_by")));
    }

    private static String pinnedBy(JsonNode tags) {
        List<String> names = tags.findValuesAsText("tag");
        return names.isEmpty()
                ? ""
                : "; kept for " + (names.size() == 1 ? "tag " : "the tags ")
                        + String.join(", ", names.subList(0, Math.min(names.size(), TAGS_SHOWN)))
                        + (names.size() > TAGS_SHOWN ? " and " + (names.size() - TAGS_SHOWN) + " more" : "");
    }

    private String sentence(ObjectNode report) {
        long image = report.path("image_bytes").asLong();
        // Without an image a backup has nothing that could make it larger.
        boolean larger = image > 0 && !report.path("smaller").asBoolean();
        if (confirm && larger && !even) {
            return "reclaimed nothing: a backup would be larger, because the image of what stays takes " + image
                    + " bytes; --even-if-larger reclaims the history all the same";
        }
        long log = report.path("log_bytes_reclaimed").asLong();
        String reclaimed = "%s the images of %s, %s and %s: %d bytes of the log"
                .formatted(
                        confirm ? "reclaimed" : "would reclaim",
                        TextTable.counted(report.path("commits_reclaimed").asLong(), "commit"),
                        TextTable.counted(report.path("versions_reclaimed").asLong(), "version"),
                        TextTable.counted(report.path("blobs_reclaimed").asLong(), "blob"),
                        log);
        String net = "; with the image of what stays the graph is %d bytes %s after `service compact`"
                .formatted(Math.abs(log - image), log >= image ? "smaller" : "larger");
        return reclaimed
                + (image == 0 || (confirm && image <= Cleanup.SMALL_IMAGE_BYTES) ? "" : net)
                + (!larger || confirm ? "" : ", and a backup is larger: --confirm needs --even-if-larger");
    }

    private RetentionPolicy policy() {
        try {
            return RetentionPolicy.of(keep, olderThan);
        } catch (ServiceException e) {
            throw CommandFailure.usage("--older-than: " + e.getMessage());
        }
    }
}
