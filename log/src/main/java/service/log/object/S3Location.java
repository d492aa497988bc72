package service.log.object;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import service.core.error.ServiceException;
import service.core.port.ObjectStore;

/**
 * The root of a cluster in a bucket.
 *
 * @param prefix of all keys, without a slash at its end; empty for the whole bucket
 */
public record S3Location(String bucket, String prefix) {
    private static final Pattern URI = Pattern.compile("s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(.*))?");

    /** Whether a text names a bucket rather than a directory. */
    public static boolean isNamedBy(String text) {
        return text.startsWith("s3://");
    }

    /**
     * Reads {@code s3://bucket/prefix}; slashes at the end are dropped.
     *
     * @throws ServiceException BAD_REQUEST when the text is no such URI
     */
    public static S3Location parse(String text) {
        Matcher uri = URI.matcher(text);
        if (uri.matches()) {
            String prefix = uri.group(2) == null ? "" : uri.group(2).replaceAll("/+$", "");
            if (prefix.isEmpty() || ObjectStore.isKey(prefix)) {
                return new S3Location(uri.group(1), prefix);
            }
        }
        throw ServiceException.badRequest("`" + text + "` names no bucket: write s3://bucket/prefix");
    }

    /** The URI without a slash at its end. */
    public String uri() {
        return prefix.isEmpty() ? "s3://" + bucket : "s3://" + bucket + "/" + prefix;
    }

    /** The key in the bucket. */
    String inBucket(String key) {
        return prefix.isEmpty() ? key : prefix + "/" + key;
    }

    /** The key below the root. */
    String belowRoot(String inBucket) {
        return prefix.isEmpty() ? inBucket : inBucket.substring(prefix.length() + 1);
    }
}
