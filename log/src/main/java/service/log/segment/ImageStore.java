package service.log.segment;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.log.format.GraphImages.Kind;

/** The images of one graph below {@code graphs/<id>/checkpoint/} and {@code graphs/<id>/base/}. Any thread. */
final class ImageStore {
    private static final int PAGE = 1_000;

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

    /** All images of a kind, ascending by their offsets. */
    List<ImageKey> list(Kind kind) {
        String folder = folder(kind);
        List<ImageKey> all = new ArrayList<>();
        List<String> page = List.of();
        do {
            page = store.list(folder, page.isEmpty() ? "" : page.getLast(), PAGE);
            page.stream()
                    .map(key -> ImageKey.parse(key.substring(folder.length())))
                    .filter(Objects::nonNull)
                    .forEach(all::add);
        } while (page.size() == PAGE);
        return all;
    }

    /** The base image from which the graph must be opened; null while its whole history is in segments. */
    @Nullable
    ImageKey newestBase() {
        List<ImageKey> bases = list(Kind.BASE);
        return bases.isEmpty() ? null : bases.getLast();
    }

    /** Begins to read an image; null when it is missing. A cut stream throws an ObjectStoreException. */
    @Nullable
    InputStream read(Kind kind, ImageKey image) {
        return segments.read(key(kind, image));
    }

    /** Creates an image. One that is there has the same bytes, because its digest is in its name. */
    void create(Kind kind, ImageKey image, ObjectStore.Content content) {
        store.putIfAbsent(key(kind, image), content);
    }

    void delete(Kind kind, List<ImageKey> images) {
        segments.deleteAll(images.stream().map(image -> key(kind, image)).toList());
    }
}
