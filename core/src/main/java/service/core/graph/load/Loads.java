package service.core.graph.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.budget.RequestBudget;
import service.core.graph.branch.Branches;
import service.core.graph.check.GraphWriter;
import service.core.graph.read.Blobs;
import service.core.graph.request.Budgets;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.UnreadBranch;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.policy.Action;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * Loads records as one commit. They are decoded on the caller's thread. A small batch is looked up, compared and
 * checked on the writer's thread; a large one on the caller's, over the current head, and the writer only validates it
 * against the commits since. A load that creates its branch is two events in one step, because the creation of a branch
 * is an event: it is decided over the base's head first, so that a refused load leaves no branch.
 */
public final class Loads {
    /** A batch of at most this many records occupies the writer for milliseconds only. */
    private static final int SMALL_RECORDS_MAX = 256;

    private final GraphWriter writer;
    private final GraphStorage storage;
    private final Blobs blobs;
    private final Branches branches;
    private final Settings settings;

    /** @param settings of the process */
    public Loads(GraphWriter writer, Blobs blobs, Branches branches, Settings settings) {
        this.writer = writer;
        this.storage = writer.storage();
        this.blobs = blobs;
        this.branches = branches;
        this.settings = settings;
    }

    public CompletableFuture<LoadResult> run(
            WriteTerms terms,
            String branch,
            @Nullable String from,
            LoadMode mode,
            InputStream records,
            RequestBudget budget) {
        Ulid expected = Targets.condition(terms.condition());
        RequestDigest digest = new RequestDigest("load")
                .add(branch)
                .add(from)
                .add(mode.wireName())
                .add(terms.condition())
                .add(terms.options().note());
        InputStream input = terms.key() == null ? records : digest.reading(records);
        WriteKey.First first = first(terms);
        if (first != null && terms.key() != null) {
            drain(input);
            first.requireSame(digest.bytes(), terms.key());
            return CompletableFuture.completedFuture(LoadReceipts.read(first));
        }
        LoadWrite.Place place = new LoadWrite.Place(branch, from, from == null ? null : named(terms, from, budget));
        Catalog catalog = catalog(terms, branch, place.base());
        BlobIntake intake = blobs.intake();
        return blobs.closing(intake, () -> {
            LoadBatch batch = LoadBlocks.read(input, catalog, mode, intake, writer.entitiesMax(), budget);
            WriteKey<LoadResult> key = WriteKey.of(terms, digest, LoadReceipts.INSTANCE);
            LoadWrite write = new LoadWrite(
                    writer, new LoadWrite.Request(terms, place, expected, key, batch, budget, intake.staged()));
            return UnreadBranch.write(
                    terms.caller(),
                    branch,
                    () -> batch.size() <= SMALL_RECORDS_MAX
                            ? write.runOnWriter(write::decideHere)
                            : CompletableFuture.completedFuture(write.run()));
        });
    }

    private String named(WriteTerms terms, String from, RequestBudget budget) {
        return branches.named(terms.caller(), from, TimeBudget.ofRef(settings, budget));
    }

    /** The base of a branch that a load creates. */
    static Branch base(GraphSession session, WriteTerms terms, String branch, @Nullable String from) {
        if (from == null) {
            return Targets.branch(session, branch, terms.caller());
        }
        terms.require(Action.BRANCH_CREATE, branch);
        return Branches.base(session, from, branch, terms.caller());
    }

    private WriteKey.@Nullable First first(WriteTerms terms) {
        if (terms.key() == null) {
            return null;
        }
        try (GraphSession session = storage.session()) {
            return WriteKey.find(session, Budgets.nowMicros(), terms.actor(), terms.key());
        }
    }

    private static void drain(InputStream input) {
        try {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The schema of the branch, or of the base that it will be created from. */
    private Catalog catalog(WriteTerms terms, String branch, @Nullable String from) {
        boolean missing;
        Catalog catalog;
        try (GraphSession session = storage.session()) {
            Branch target = session.branch(branch);
            missing = from != null && target == null;
            Branch base = target != null ? target : base(session, terms, branch, from);
            try (GraphView view = session.view(base.headPoint())) {
                catalog = view.catalog();
            }
        }
        if (missing) {
            Branches.checkName(branch);
        }
        return catalog;
    }
}
