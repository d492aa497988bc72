package service.log.segment;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.value.Sha256;
import service.log.format.GraphImages.Kind;
import service.log.object.Backoff;

/** The images of one graph below {@code graphs/<id>/checkpoint/} and {@code graphs/<id>/base/}. Any thread. */
final class ImageStore {
    private static final int PAGE = 1_000;

    /** The end of the key of the empty object that marks an image as discarded; it follows the key of the image. */
    private static final String DISCARDED = ".discarded";

    private final ObjectStore store;
    private final SegmentStore segments;
    private final String prefix;

    ImageStore(ObjectStore store, SegmentStore segments, String prefix) {
        this.store = store;
        this.segments = segments;
        this.prefix = prefix;
    }

    private String folder(Kind kind) {
        return prefix + (kind == Kind.BASE ? "base/" : "checkpoint/");
    }

    String key(Kind kind, ImageKey image) {
        return folder(kind) + image.name();
    }

    String uri(Kind kind, ImageKey image) {
        return segments.uri(key(kind, image));
    }

    /** The images of a kind that an opening may use, ascending by their offsets. */
    List<ImageKey> list(Kind kind) {
        return listAll(kind).usable();
    }

    /**
     * The images of a kind, ascending by their offsets.
     *
     * @param stored all of them
     * @param discarded those that no opening uses
     */
    record Listed(List<ImageKey> stored, Set<ImageKey> discarded) {
        List<ImageKey> usable() {
            return stored.stream().filter(image -> !discarded.contains(image)).collect(Collectors.toList());
        }
    }

    /** All images of a kind, the discarded ones as well. */
    Listed listAll(Kind kind) {
        String folder = folder(kind);
        Listed all = new Listed(new ArrayList<>(), new HashSet<>());
        List<String> page = List.of();
        do {
            page = store.list(folder, page.isEmpty() ? "" : page.getLast(), PAGE);
            for (String key : page) {
                String name = key.substring(folder.length());
                boolean isMark = name.endsWith(DISCARDED);
                ImageKey image = ImageKey.parse(isMark ? name.substring(0, name.length() - DISCARDED.length()) : name);
                if (image != null) {
                    (isMark ? all.discarded : all.stored).add(image);
                }
            }
        } while (page.size() == PAGE);
        return all;
    }

    /** Marks images so that no later opening uses them. One that has begun to read an image is not disturbed. */
    void discard(Kind kind, List<ImageKey> images) {
        images.forEach(image -> store.putIfAbsent(key(kind, image) + DISCARDED, new byte[0]));
    }

    /**
     * The base image from which the graph must be opened; null while its whole history is in segments. Of two that end
     * with the same event it is the one that was made of a copy of the other, which only the headers say.
     */
    @Nullable
    ImageKey newestBase() {
        List<ImageKey> bases = list(Kind.BASE);
        if (bases.isEmpty()) {
            return null;
        }
        ImageKey last = bases.getLast();
        bases.removeIf(base -> base.offset() < last.offset());
        if (bases.size() == 1) {
            return last;
        }
        Set<ImageKey> replaced = new HashSet<>();
        for (ImageKey base : bases) {
            ImageHeader header = header(base);
            if (header == null) {
                replaced.add(base);
            } else if (header.base() != null) {
                replaced.add(header.base());
            }
        }
        bases.removeIf(replaced::contains);
        return bases.isEmpty() ? last : bases.getLast();
    }

    /** The header of a base image; null when it cannot be read. */
    private @Nullable ImageHeader header(ImageKey base) {
        try (@Nullable InputStream stored = read(Kind.BASE, base)) {
            return stored == null ? null : ImageHeader.read(new ZstdInputStreamNoFinalizer(stored));
        } catch (IOException damaged) {
            return null;
        }
    }

    /** Begins to read an image; null when it is missing. A cut stream throws an ObjectStoreException. */
    @Nullable
    InputStream read(Kind kind, ImageKey image) {
        return segments.read(key(kind, image));
    }

    /** Reads an image to its end: the SHA-256 of its bytes, in hex; null when it is missing. */
    @Nullable
    String digest(Kind kind, ImageKey image) {
        MessageDigest digest = Sha256.begin();
        try (@Nullable InputStream stored = read(kind, image)) {
            if (stored == null) {
                return null;
            }
            new DigestInputStream(stored, digest).transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Creates an image; repeats a request without an answer. One that is there has the same bytes, because its digest
     * is in its name.
     *
     * @throws ServiceException CONFLICT when it is too large for one object
     */
    void createSettled(Kind kind, ImageFile image) {
        if (image.length() > ObjectStore.STREAM_BYTES_MAX) {
            throw ServiceException.conflict(
                    "the image %s would have %d bytes, and an object has at most %d: reclaim more of its history, or move the graph to a disk"
                            .formatted(uri(kind, image.key()), image.length(), ObjectStore.STREAM_BYTES_MAX));
        }
        Backoff backoff = new Backoff(ThreadLocalRandom.current());
        for (int attempt = 1; ; attempt++) {
            try {
                store.putIfAbsent(key(kind, image.key()), image);
                return;
            } catch (ObjectStoreException e) {
                backoff.pauseOrThrow(e, attempt);
            }
        }
    }

    /** Deletes images, then the marks of discarded ones. */
    void delete(Kind kind, List<ImageKey> images) {
        List<String> keys = images.stream().map(image -> key(kind, image)).toList();
        segments.deleteAll(keys);
        if (kind == Kind.CHECKPOINT) {
            segments.deleteAll(keys.stream().map(key -> key + DISCARDED).toList());
        }
    }
}
