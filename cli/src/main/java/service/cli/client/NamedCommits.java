package service.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;

/**
 * A graph whose requests may name commits as people write them: {@code main}, {@code main~3}, or the last characters of
 * an id. Each is resolved by {@link GraphClient#commit} before the request, which then names the id: the requests of
 * HTTP take whole ids only.
 */
public record NamedCommits(GraphClient graph) implements GraphClient {
    private static final String AFTER = "after:";
    private static final String SNAPSHOT = "snapshot";

    private String id(String ref) {
        return Ulid.isUlid(ref)
                ? ref
                : graph.commit(ref).path("graph_commit_id").asText();
    }

    private @Nullable String idOrNull(@Nullable String ref) {
        return ref == null ? null : id(ref);
    }

    /** A branch stays a branch; anything else that is written for a commit becomes its id. */
    private String state(String text) {
        return text.contains("~") || UlidSuffix.parse(text) != null ? id(text) : text;
    }

    private Target resolved(Target target) {
        return new Target(target.branch(), idOrNull(target.snapshot()), target.asOf());
    }

    private ObjectNode resolved(ObjectNode body) {
        return body.path(SNAPSHOT).isTextual()
                ? body.deepCopy().put(SNAPSHOT, id(body.path(SNAPSHOT).asText()))
                : body;
    }

    @Override
    public ObjectNode query(ObjectNode body) {
        return graph.query(resolved(body));
    }

    @Override
    public ObjectNode mutate(ObjectNode body, @Nullable String condition, @Nullable String key) {
        return graph.mutate(body, idOrNull(condition), key);
    }

    @Override
    public ObjectNode invoke(String name, ObjectNode body, @Nullable String condition, @Nullable String key) {
        return graph.invoke(name, resolved(body), idOrNull(condition), key);
    }

    @Override
    public ObjectNode queries() {
        return graph.queries();
    }

    @Override
    public ObjectNode load(
            @Nullable String branch, @Nullable String from, String mode, @Nullable String key, Records records) {
        return graph.load(branch, from, mode, key, records);
    }

    @Override
    public ObjectNode branches() {
        return graph.branches();
    }

    @Override
    public ObjectNode branch(String name) {
        return graph.branch(name);
    }

    @Override
    public ObjectNode createBranch(String name, @Nullable String from) {
        return graph.createBranch(name, from);
    }

    @Override
    public ObjectNode deleteBranch(String name) {
        return graph.deleteBranch(name);
    }

    @Override
    public ObjectNode merge(ObjectNode body) {
        return graph.merge(body);
    }

    @Override
    public ObjectNode diff(States states, @Nullable String pageToken, Filters filters) {
        return graph.diff(
                new States(state(states.from()), state(states.to()), states.sinceMergeBase()), pageToken, filters);
    }

    @Override
    public ObjectNode snapshot(Target target) {
        return graph.snapshot(resolved(target));
    }

    @Override
    public ObjectNode commits(@Nullable String branch, int limit, @Nullable String before) {
        return graph.commits(branch, limit, idOrNull(before));
    }

    @Override
    public ObjectNode commit(String ref) {
        return graph.commit(ref);
    }

    @Override
    public ObjectNode commitChanges(String id, @Nullable String pageToken, int limit, Filters filters) {
        return graph.commitChanges(id(id), pageToken, limit, filters);
    }

    @Override
    public ObjectNode changes(FeedPoll poll) {
        String start = poll.start();
        if (start == null || !start.startsWith(AFTER)) {
            return graph.changes(poll);
        }
        return graph.changes(new FeedPoll(
                poll.branch(),
                poll.cursor(),
                AFTER + id(start.substring(AFTER.length())),
                poll.pageToken(),
                poll.limit(),
                poll.waitSeconds(),
                poll.filters()));
    }

    @Override
    public void baseline(@Nullable String branch, Filters filters, OutputStream into) {
        graph.baseline(branch, filters, into);
    }

    @Override
    public ObjectNode schema(Target target) {
        return graph.schema(resolved(target));
    }

    @Override
    public ObjectNode planSchema(String source, List<String> allowedDrops) {
        return graph.planSchema(source, allowedDrops);
    }

    @Override
    public ObjectNode applySchema(String source, List<String> allowedDrops) {
        return graph.applySchema(source, allowedDrops);
    }

    @Override
    public void export(Target target, List<String> typeNames, OutputStream into) {
        graph.export(resolved(target), typeNames, into);
    }

    @Override
    public ObjectNode blobStat(Target target, Cell cell) {
        return graph.blobStat(resolved(target), cell);
    }

    @Override
    public void blob(Target target, Cell cell, @Nullable Long offset, @Nullable Long length, OutputStream into) {
        graph.blob(resolved(target), cell, offset, length, into);
    }

    @Override
    public void cancel() {
        graph.cancel();
    }

    @Override
    public void close() {
        graph.close();
    }
}
