package service.log.object;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.ObjectStore;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Creates an object that is too large for one PUT: its parts are sent one after the other, and the last request makes
 * an object of them if the key has none. Until then there is no object. A part is sent again when it fails, because the
 * same part replaces the one before. A process that dies leaves parts that no list of objects shows; a lifecycle rule
 * of the bucket deletes them.
 *
 * @param what the URI of the object
 * @param key in the bucket
 * @param partBytes the bytes of each part but the last; more when there would be too many
 */
record S3Parts(S3Client client, String what, String bucket, String key, long partBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(S3Parts.class);
    private static final int PARTS_MAX = 10_000;
    private static final int NOT_FOUND = 404;

    /**
     * Creates the object.
     *
     * @return whether there was none
     * @throws SdkException when a request fails; PRECONDITION_FAILED when the object was created meanwhile
     * @throws service.core.port.ObjectStoreException when a part fails several times
     */
    boolean putIfAbsent(ObjectStore.Content content) {
        if (exists()) {
            return false;
        }
        String upload = client.createMultipartUpload(
                        create -> create.bucket(bucket).key(key))
                .uploadId();
        boolean completed = false;
        try {
            List<CompletedPart> parts = send(upload, content);
            client.completeMultipartUpload(complete -> complete.bucket(bucket)
                    .key(key)
                    .uploadId(upload)
                    .ifNoneMatch("*")
                    .multipartUpload(all -> all.parts(parts)));
            completed = true;
            return true;
        } finally {
            if (!completed) {
                abort(upload);
            }
        }
    }

    /** Spares the parts of an object that is there, as after an answer that was lost. */
    private boolean exists() {
        try {
            client.headObject(head -> head.bucket(bucket).key(key));
            return true;
        } catch (S3Exception e) {
            if (e.statusCode() == NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    private List<CompletedPart> send(String upload, ObjectStore.Content content) {
        long size = Math.max(partBytes, Math.ceilDiv(content.length(), (long) PARTS_MAX));
        List<CompletedPart> parts = new ArrayList<>();
        for (long from = 0; from < content.length(); from += size) {
            int number = parts.size() + 1;
            parts.add(CompletedPart.builder()
                    .partNumber(number)
                    .eTag(send(upload, number, part(content, from, Math.min(size, content.length() - from))))
                    .build());
        }
        return parts;
    }

    private String send(String upload, int number, RequestBody part) {
        Backoff backoff = new Backoff(ThreadLocalRandom.current());
        for (int attempt = 1; ; attempt++) {
            try {
                return client.uploadPart(
                                one -> one.bucket(bucket)
                                        .key(key)
                                        .uploadId(upload)
                                        .partNumber(number),
                                part)
                        .eTag();
            } catch (SdkException e) {
                backoff.pauseOrThrow(S3Failures.of(what, e), attempt);
            }
        }
    }

    private static RequestBody part(ObjectStore.Content content, long from, long length) {
        return RequestBody.fromContentProvider(
                () -> {
                    try {
                        return new Part(from(content, from), length);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                length,
                "application/octet-stream");
    }

    private static InputStream from(ObjectStore.Content content, long position) throws IOException {
        InputStream bytes = content.open();
        try {
            bytes.skipNBytes(position);
            return bytes;
        } catch (IOException e) {
            bytes.close();
            throw e;
        }
    }

    /** Deletes the parts. When the completion whose answer was lost has made the object, no parts are left. */
    private void abort(String upload) {
        try {
            client.abortMultipartUpload(abort -> abort.bucket(bucket).key(key).uploadId(upload));
        } catch (SdkException e) {
            LOG.debug("{}: the parts of upload {} stay", what, upload, S3Failures.of(what, e));
        }
    }

    /** The next bytes of a stream, at most so many. */
    private static final class Part extends FilterInputStream {
        private long left;

        Part(InputStream bytes, long length) {
            super(bytes);
            this.left = length;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int count = in.read(into, offset, (int) Math.min(length, left));
            left -= Math.max(count, 0);
            return count;
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
