package service.log.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;
import service.core.testkit.FaultyObjectStore.Fault;
import service.core.testkit.MemoryObjectStore;

/**
 * A {@link MemoryObjectStore} in this process that is reached with the protocol of S3, and whose requests can fail.
 * Every bucket exists, keys with the bucket are those of the store, path style; credentials are not checked. All writes
 * are atomic, {@code If-Match} included.
 */
public final class FakeS3 implements AutoCloseable {
    private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-");
    private static final List<Fault> FAULTS = List.of(Fault.values());

    /** Fewer than the attempts of a client, so that no repeated request gives up. */
    private static final int FAILURES_IN_A_ROW_MAX = 4;

    static {
        // Otherwise a short answer can wait for the acknowledgement of its headers.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final MemoryObjectStore objects = new MemoryObjectStore();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private Random random = new Random(0);
    private int failsOneIn;
    private long refusesFrom = Long.MAX_VALUE;
    private Set<String> refused = Set.of();
    private long requests;
    private long failed;

    /** The failures since the last success of each request that failed last, by its method and URI. */
    private final Map<String, Integer> inARow = new HashMap<>();

    /**
     * What is sent.
     *
     * @param etag null for none
     */
    private record Answer(int status, byte[] body, @Nullable String etag) {
        Answer(int status, String body) {
            this(status, body.getBytes(UTF_8), null);
        }

        static Answer error(int status, String code) {
            return new Answer(status, "<Error><Code>" + code + "</Code></Error>");
        }
    }

    /** What a store does with the conditions of a PUT. */
    public enum Conditions {
        KEPT,
        IGNORED,
        IF_NONE_MATCH_IGNORED,
        IF_MATCH_IGNORED,
        /** Answers 501 to a request with a condition. */
        REFUSED
    }

    /**
     * A bucket with other conditions.
     *
     * @param written the keys that were put or deleted in it, in order, those of probes left out
     */
    private record Careless(Conditions conditions, List<String> written) {}

    private final Map<String, Careless> careless = new ConcurrentHashMap<>();

    /** Copies the objects of a bucket into another one, which does this with conditions from now on. */
    public void copy(String bucket, String into, Conditions conditions) {
        for (String key : objects.list(bucket + "/", "", Integer.MAX_VALUE)) {
            StoredObject object = objects.get(key);
            if (object != null) {
                replace(into + key.substring(bucket.length()), object.bytes());
            }
        }
        careless.put(into, new Careless(conditions, new CopyOnWriteArrayList<>()));
    }

    /** The keys that were put or deleted in a bucket since {@link #copy}, those of probes left out. */
    public List<String> written(String bucket) {
        return List.copyOf(careless.get(bucket).written());
    }

    /** What is stored, by keys with the bucket. */
    public ObjectStore objects() {
        return objects;
    }

    /** Listens on a free port. */
    public FakeS3() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::take);
        server.setExecutor(threads);
        server.start();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /**
     * Makes one request of this many fail, in a random way; 0 for none. A request that is repeated fails at most four
     * times in a row.
     */
    public synchronized void failOneIn(int requestsEach, long seed) {
        random = new Random(seed);
        failsOneIn = requestsEach;
    }

    /**
     * Makes the requests of these methods fail with 403 for good.
     *
     * @param more how many requests come before
     */
    public synchronized void refuseAfter(long more, Set<String> methods) {
        refusesFrom = requests + more;
        refused = methods;
    }

    private synchronized boolean refuses(String method) {
        return requests > refusesFrom && refused.contains(method);
    }

    /** The number of requests so far. */
    public synchronized long requests() {
        return requests;
    }

    /** The number of requests so far that failed. */
    public synchronized long failed() {
        return failed;
    }

    private synchronized @Nullable Fault fault(String request) {
        requests++;
        if (failsOneIn == 0
                || random.nextInt(failsOneIn) > 0
                || inARow.getOrDefault(request, 0) == FAILURES_IN_A_ROW_MAX) {
            inARow.remove(request);
            return null;
        }
        inARow.merge(request, 1, Integer::sum);
        failed++;
        return FAULTS.get(random.nextInt(FAULTS.size()));
    }

    private synchronized boolean flip() {
        return random.nextBoolean();
    }

    /** A connection that is closed before the answer is whole is cut. A request that stalls is cut at once. */
    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Fault fault = fault(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            if (refuses(exchange.getRequestMethod())) {
                send(exchange, Answer.error(403, "AccessDenied"), false);
                return;
            }
            if (fault == null) {
                send(exchange, answer(exchange, body), false);
                return;
            }
            switch (fault) {
                case LOST_BEFORE -> {}
                case LOST_AFTER -> answer(exchange, body);
                case STALL -> {
                    if (flip()) {
                        answer(exchange, body);
                    }
                }
                case SERVER_ERROR -> {
                    if (flip()) {
                        answer(exchange, body);
                    }
                    send(exchange, Answer.error(500, "InternalError"), false);
                }
                case SLOW_DOWN -> {
                    exchange.getResponseHeaders().set("Retry-After", "0");
                    send(exchange, Answer.error(503, "SlowDown"), false);
                }
                case HALF_BODY -> send(exchange, answer(exchange, body), true);
            }
        }
    }

    private Answer answer(HttpExchange exchange, byte[] body) {
        String path = exchange.getRequestURI().getPath();
        String key = path.substring(1);
        boolean ofBucket = key.indexOf('/') < 0 || key.endsWith("/");
        String bucket = ofBucket ? key.replace("/", "") : key.substring(0, key.indexOf('/'));
        Careless rules = careless.get(bucket);
        if (rules != null && !exchange.getRequestMethod().equals("GET") && !key.contains("/__cluster/probe/")) {
            rules.written().add(key);
        }
        Conditions conditions = rules == null ? Conditions.KEPT : rules.conditions();
        Map<String, String> query = query(exchange.getRequestURI());
        return switch (exchange.getRequestMethod()) {
            case "GET" -> ofBucket ? list(bucket, query) : get(exchange, key);
            case "PUT" -> ofBucket ? new Answer(200, "") : put(exchange, conditions, key, body);
            case "DELETE" -> {
                objects.delete(key);
                yield new Answer(204, "");
            }
            case "POST" -> query.containsKey("delete") ? deleteAll(bucket, body) : Answer.error(501, "NotImplemented");
            default -> Answer.error(405, "MethodNotAllowed");
        };
    }

    private static Map<String, String> query(URI uri) {
        Map<String, String> query = new HashMap<>();
        String text = uri.getQuery();
        for (String part : text == null ? new String[0] : text.split("&", -1)) {
            int equals = part.indexOf('=');
            query.put(equals < 0 ? part : part.substring(0, equals), equals < 0 ? "" : part.substring(equals + 1));
        }
        return query;
    }

    private Answer get(HttpExchange exchange, String key) {
        StoredObject found = objects.get(key);
        if (found == null) {
            return Answer.error(404, "NoSuchKey");
        }
        String etag = '"' + found.version() + '"';
        String range = exchange.getRequestHeaders().getFirst("Range");
        Matcher from = range == null ? null : RANGE.matcher(range);
        if (from == null || !from.matches()) {
            return new Answer(200, found.bytes(), etag);
        }
        long first = Long.parseLong(from.group(1));
        return first < found.bytes().length
                ? new Answer(206, Arrays.copyOfRange(found.bytes(), (int) first, found.bytes().length), etag)
                : Answer.error(416, "InvalidRange");
    }

    private Answer put(HttpExchange exchange, Conditions conditions, String key, byte[] body) {
        String match = exchange.getRequestHeaders().getFirst("If-Match");
        boolean absent = exchange.getRequestHeaders().containsKey("If-None-Match");
        switch (conditions) {
            case KEPT -> {}
            case IGNORED -> {
                match = null;
                absent = false;
            }
            case IF_NONE_MATCH_IGNORED -> absent = false;
            case IF_MATCH_IGNORED -> match = null;
            case REFUSED -> {
                if (match != null || absent) {
                    return Answer.error(501, "NotImplemented");
                }
            }
        }
        boolean written;
        if (match != null) {
            written = objects.putIfMatch(key, match.replace("\"", ""), body);
        } else if (absent) {
            written = objects.putIfAbsent(key, body);
        } else {
            replace(key, body);
            written = true;
        }
        return written ? new Answer(200, "") : Answer.error(412, "PreconditionFailed");
    }

    private void replace(String key, byte[] body) {
        boolean written = false;
        while (!written) {
            StoredObject before = objects.get(key);
            written = before == null ? objects.putIfAbsent(key, body) : objects.putIfMatch(key, before.version(), body);
        }
    }

    private Answer deleteAll(String bucket, byte[] body) {
        Matcher keys = KEY.matcher(new String(body, UTF_8));
        while (keys.find()) {
            objects.delete(bucket + "/" + keys.group(1).replace("&amp;", "&"));
        }
        return new Answer(200, "<DeleteResult/>");
    }

    private Answer list(String bucket, Map<String, String> query) {
        String after = query.getOrDefault("start-after", "");
        int count = Integer.parseInt(query.getOrDefault("max-keys", String.valueOf(ObjectStore.DELETE_KEYS_MAX)));
        List<String> keys = objects.list(
                bucket + "/" + query.getOrDefault("prefix", ""),
                after.isEmpty() ? "" : bucket + "/" + after,
                count + 1);
        StringBuilder xml = new StringBuilder("<ListBucketResult><IsTruncated>")
                .append(keys.size() > count)
                .append("</IsTruncated>");
        keys.stream()
                .limit(count)
                .map(key ->
                        key.substring(bucket.length() + 1).replace("&", "&amp;").replace("<", "&lt;"))
                .forEach(key -> xml.append("<Contents><Key>").append(key).append("</Key></Contents>"));
        return new Answer(200, xml.append("</ListBucketResult>").toString());
    }

    /** @param half sends a part of the body and cuts the connection */
    private static void send(HttpExchange exchange, Answer answer, boolean half) throws IOException {
        if (answer.etag != null) {
            exchange.getResponseHeaders().set("ETag", answer.etag);
        }
        int length = answer.body.length;
        if (half) {
            exchange.sendResponseHeaders(answer.status, length + 1L);
            exchange.getResponseBody().write(answer.body, 0, length / 2);
            exchange.getResponseBody().flush();
        } else {
            // A length of 0 would mean chunks.
            exchange.sendResponseHeaders(answer.status, length == 0 ? -1 : length);
            exchange.getResponseBody().write(answer.body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
