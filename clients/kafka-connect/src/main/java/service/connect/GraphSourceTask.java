package service.connect;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;
import org.apache.kafka.connect.source.TransactionContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one branch. {@link #poll()} runs on the thread of the task; {@link #stop()} and {@link #commitRecord} on any
 * thread.
 */
public final class GraphSourceTask extends SourceTask {
    private static final Logger LOG = LoggerFactory.getLogger(GraphSourceTask.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CountDownLatch stopped = new CountDownLatch(1);

    private volatile @Nullable Work work;

    /** What a started task has. */
    private static final class Work {
        final GraphSourceConfig config;
        final GraphClient client;
        final Progress progress;
        final Backoff backoff;
        volatile Phase phase;

        Work(GraphSourceConfig config, @Nullable Position from, CountDownLatch stopped) {
            this.config = config;
            this.client = new GraphClient(config, PATIENCE);
            this.backoff = new Backoff(config.retryMaxMillis(), stopped);
            this.progress = new Progress(config);
            this.phase = from == null ? first() : after(from);
        }

        private Phase first() {
            return config.snapshotMode() == GraphSourceConfig.SnapshotMode.NO_DATA
                    ? new NoDataPhase(config, client)
                    : baseline();
        }

        Phase after(Position position) {
            return position.place() == null ? baseline() : new FeedPhase(config, client, progress, position);
        }

        Phase baseline() {
            return new BaselinePhase(config, client, progress);
        }
    }

    /** The transactions of a worker with exactly-once support; null without it. */
    private @Nullable TransactionContext transactions;

    /** How many records were given since a transaction ended. */
    private long openRecords;

    /** Kafka Connect makes the task. */
    public GraphSourceTask() {}

    @Override
    public String version() {
        return GraphSourceConnector.VERSION;
    }

    @Override
    public void start(Map<String, String> properties) {
        GraphSourceConfig config = new GraphSourceConfig(properties);
        Map<String, Object> offset = context.offsetStorageReader().offset(config.partition());
        transactions = context.transactionContext();
        Position from = offset == null || offset.isEmpty() ? null : Position.of(offset);
        work = new Work(config, from, stopped);
        LOG.info(
                "graph `{}`, branch `{}` of {}: {}",
                config.graph(),
                config.branch(),
                config.server(),
                from == null ? "first start" : "continues at " + from);
    }

    @Override
    public @Nullable List<SourceRecord> poll() {
        Work now = Objects.requireNonNull(work);
        if (!now.backoff.await()) {
            return null;
        }
        try {
            List<GraphRecord> records = now.phase.next();
            now.progress.answered();
            now.backoff.succeeded();
            Position end = now.phase.end();
            if (end != null) {
                now.phase.close();
                now.phase = now.after(end);
            }
            return given(now, records);
        } catch (StaleSchemaException e) {
            if (now.phase instanceof BaselinePhase) {
                return again(now, e, 0);
            }
            throw new ConnectException(e.getMessage(), e);
        } catch (ServerRefusal e) {
            if (e.isGap()) {
                return afterGap(now, e);
            }
            if (e.isTransient()) {
                return again(now, e, e.retryAfterMillis());
            }
            throw new ConnectException(explain(now.config, e), e);
        } catch (IOException e) {
            return stopped.getCount() == 0 ? null : again(now, e, 0);
        }
    }

    private @Nullable List<SourceRecord> given(Work now, List<GraphRecord> records) {
        if (records.isEmpty()) {
            return null;
        }
        now.progress.given(records);
        for (GraphRecord record : records) {
            openRecords++;
            if (record.isLast() || (record.isOfBaseline() && openRecords >= now.config.snapshotTransactionRecords())) {
                openRecords = 0;
                if (transactions != null) {
                    transactions.commitTransaction(record);
                }
            }
        }
        return List.copyOf(records);
    }

    private @Nullable List<SourceRecord> again(Work now, Exception failure, long retryAfterMillis) {
        String why = String.valueOf(failure.getMessage());
        long pause = now.backoff.failed(retryAfterMillis);
        now.progress.failed(why);
        if (now.backoff.isFirstFailure()) {
            LOG.warn("{}: {}; asking again until it answers", now.config.server(), why);
        } else {
            LOG.debug("{}: {}; asking again in {} ms", now.config.server(), why, pause);
        }
        // A transaction does not wait for a server, and a baseline begins at its beginning.
        if (now.phase instanceof BaselinePhase || (openRecords > 0 && transactions != null)) {
            now.phase.close();
            now.phase = now.phase.again();
            return abort(now);
        }
        return null;
    }

    private @Nullable List<SourceRecord> afterGap(Work now, ServerRefusal gap) {
        boolean isBaseline = now.phase instanceof BaselinePhase;
        if (!isBaseline && now.config.snapshotMode() != GraphSourceConfig.SnapshotMode.WHEN_NEEDED) {
            throw new ConnectException(
                    now.config.server() + ": " + gap.getMessage() + ": set `" + GraphSourceConfig.SNAPSHOT_MODE
                            + "` to `when_needed`, or delete the offsets of the connector, for a new baseline",
                    gap);
        }
        LOG.warn("{}: {}; taking a new baseline", now.config.server(), gap.getMessage());
        now.progress.gap();
        now.phase.close();
        now.phase = now.baseline();
        return abort(now);
    }

    /** Ends the transaction of a commit or baseline that was sent in part. */
    private @Nullable List<SourceRecord> abort(Work now) {
        if (openRecords == 0 || transactions == null) {
            return null;
        }
        openRecords = 0;
        transactions.abortTransaction();
        now.progress.aborted();
        // Only after a batch, be it empty, does the worker look whether to abort.
        return List.of();
    }

    /** A refusal in words, with the setting that it comes from. */
    static String explain(GraphSourceConfig config, ServerRefusal refusal) {
        return config.server() + ": " + refusal.getMessage() + " (" + refusal.status() + "): check `" + setting(refusal)
                + "`";
    }

    /** The setting that a refusal comes from. */
    static String setting(ServerRefusal refusal) {
        return switch (refusal.status()) {
            case 401, 403 -> GraphSourceConfig.TOKEN;
            case 404 ->
                switch (refusal.reason()) {
                    case "graph" -> GraphSourceConfig.GRAPH;
                    case "branch" -> GraphSourceConfig.BRANCH;
                    default -> GraphSourceConfig.SERVER_URL;
                };
            default -> GraphSourceConfig.SERVER_URL;
        };
    }

    @Override
    public void commitRecord(SourceRecord record, @Nullable RecordMetadata metadata) {
        Work now = work;
        if (now != null && record instanceof GraphRecord ours) {
            now.progress.acknowledged(ours);
        }
    }

    @Override
    public void stop() {
        stopped.countDown();
        Work now = work;
        if (now != null) {
            now.client.close();
            now.phase.close();
            now.progress.close();
        }
    }
}
