package service.core.port;

import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import service.core.error.ServiceException;

/** Where the root of a cluster is. What is stored there is opened by {@link ObjectStores} and {@link GraphPort}. */
public sealed interface RootAddress {
    /** The canonical URI without a slash at its end. */
    String uri();

    /** The place of a graph below the root. */
    GraphPlace graph(String graphId);

    /** A directory of this machine. The path is absolute. */
    record Directory(Path path) implements RootAddress {
        public Directory {
            path = path.toAbsolutePath().normalize();
        }

        @Override
        public String uri() {
            String uri = path.toUri().toString();
            return uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
        }

        @Override
        public GraphPlace graph(String graphId) {
            return new GraphPlace.InDirectory(path.resolve("graphs").resolve(graphId));
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }

    /**
     * A bucket, or a part of one.
     *
     * @param prefix of all keys, without a slash at its end; empty for the whole bucket
     */
    record Bucket(String bucket, String prefix) implements RootAddress {
        private static final Pattern URI = Pattern.compile("s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(.*))?");

        /**
         * Reads {@code s3://bucket/prefix}; slashes at the end are dropped. A question mark and a hash sign begin a
         * query and a fragment, as in every URI, and are refused.
         *
         * @throws ServiceException BAD_REQUEST when the text is no such URI
         */
        public static Bucket parse(String text) {
            String bare = withoutSecrets(text);
            if (!bare.equals(text)) {
                throw ServiceException.badRequest("the URI of a root has no user, password, query and fragment: write `"
                        + bare + "`, and set region, endpoint and credentials by the variables of AWS");
            }
            Matcher uri = URI.matcher(text);
            if (uri.matches()) {
                String prefix = uri.group(2) == null ? "" : uri.group(2).replaceAll("/+$", "");
                if (prefix.isEmpty() || ObjectStore.isKey(prefix)) {
                    return new Bucket(uri.group(1), prefix);
                }
            }
            throw ServiceException.badRequest("`" + text + "` names no bucket: write s3://bucket/prefix,"
                    + " with 3 to 63 small letters, digits, dots and hyphens for the bucket");
        }

        @Override
        public String uri() {
            return prefix.isEmpty() ? "s3://" + bucket : "s3://" + bucket + "/" + prefix;
        }

        @Override
        public GraphPlace graph(String graphId) {
            return new GraphPlace.InBucket(this, graphId);
        }

        @Override
        public String toString() {
            return uri();
        }
    }

    /** Whether a text is meant as a URI; otherwise it is a path. */
    static boolean isUri(String text) {
        return text.contains("://") || text.startsWith("s3:") || text.startsWith("file:");
    }

    /** A URI without user, password, query and fragment, which a message must not repeat: they can hold credentials. */
    private static String withoutSecrets(String uri) {
        return uri.replaceFirst("[?#].*", "").replaceFirst("://[^/]*@", "://");
    }

    /**
     * Reads the URI of a root: {@code file:///absolute/path} or {@code s3://bucket/prefix}.
     *
     * @throws ServiceException BAD_REQUEST when it is neither
     */
    static RootAddress ofUri(String text) {
        if (text.startsWith("s3://")) {
            return Bucket.parse(text);
        }
        if (text.startsWith("file://")) {
            try {
                return new Directory(Path.of(URI.create(text)));
            } catch (IllegalArgumentException e) {
                throw ServiceException.badRequest("`" + withoutSecrets(text)
                        + "` is not a file URI of this machine; write it as file:///absolute/path");
            }
        }
        throw ServiceException.badRequest("`" + withoutSecrets(text)
                + "` is no root of a cluster; write file:///absolute/path or s3://bucket/prefix");
    }
}
