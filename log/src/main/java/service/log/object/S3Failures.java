package service.log.object;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStoreException;
import service.core.port.ObjectStoreException.Kind;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Makes the failures of the port of those of the SDK. Only the status and the code of an answer are passed on, because
 * its text may quote the request, with the id of the key that signed it.
 */
final class S3Failures {
    /** What stores answer to a header or a request that they do not have. */
    private static final int NOT_IMPLEMENTED = 501;

    private S3Failures() {}

    /** @param what the request was about: the URI of an object or of the root */
    static ObjectStoreException of(String what, SdkException failure) {
        if (failure instanceof S3Exception answer) {
            return of(what, answer);
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException io) {
                return new ObjectStoreException(
                        Kind.UNREACHABLE,
                        what + ": no answer (" + io.getClass().getSimpleName() + ")",
                        null,
                        new IOException(io.getClass().getSimpleName()));
            }
        }
        String message = String.valueOf(failure.getMessage());
        if (message.contains("credentials")) {
            return new ObjectStoreException(
                    Kind.REFUSED,
                    what + ": there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,"
                            + " or give this machine a role");
        }
        if (message.contains("region")) {
            return new ObjectStoreException(Kind.REFUSED, what + ": there is no region: set AWS_REGION");
        }
        return new ObjectStoreException(
                Kind.UNREACHABLE, what + ": no answer (" + failure.getClass().getSimpleName() + ")");
    }

    /** The text of the endpoint is not repeated: a URL can hold a password. */
    static ObjectStoreException endpoint(String root) {
        return new ObjectStoreException(
                Kind.UNREACHABLE, root + ": the endpoint is no URL such as https://objects.example.org");
    }

    private static ObjectStoreException of(String what, S3Exception answer) {
        int status = answer.statusCode();
        String code = code(answer);
        String said = what + ": " + status + (code.isEmpty() ? "" : " " + code);
        if (code.equals("NoSuchBucket")) {
            return new ObjectStoreException(
                    Kind.NO_BUCKET, said + ": create the bucket first, or correct its name or AWS_REGION");
        }
        if (status == 401 || status == 403) {
            return new ObjectStoreException(
                    Kind.REFUSED,
                    said + ": the store refuses the credentials or they lack a permission; check AWS_ACCESS_KEY_ID,"
                            + " AWS_SECRET_ACCESS_KEY, and what they may do in the bucket");
        }
        if (status == 429 || (status == 503 && code.contains("SlowDown"))) {
            return new ObjectStoreException(Kind.SLOW_DOWN, said, retryAfter(answer), null);
        }
        if (status == 408 || status == 0) {
            return new ObjectStoreException(Kind.UNREACHABLE, said, retryAfter(answer), null);
        }
        if (status == 409 || (status >= 500 && status != NOT_IMPLEMENTED)) {
            return new ObjectStoreException(Kind.FAILED, said, retryAfter(answer), null);
        }
        return new ObjectStoreException(Kind.UNSUITABLE, said + ": the store does not take this request");
    }

    static String code(S3Exception answer) {
        AwsErrorDetails details = answer.awsErrorDetails();
        String code = details == null ? null : details.errorCode();
        return code == null || !code.matches("[A-Za-z0-9.]{1,64}") ? "" : code;
    }

    /** Only the form in seconds; a date would need both clocks to agree. */
    private static @Nullable Duration retryAfter(S3Exception answer) {
        AwsErrorDetails details = answer.awsErrorDetails();
        SdkHttpResponse response = details == null ? null : details.sdkHttpResponse();
        Optional<String> header = response == null ? Optional.empty() : response.firstMatchingHeader("Retry-After");
        return header.filter(text -> text.matches("\\d{1,5}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .orElse(null);
    }
}
