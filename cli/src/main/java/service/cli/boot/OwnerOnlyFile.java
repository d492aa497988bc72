package service.cli.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import service.cli.client.CommandFailure;

/** A file with a secret. One that other users can read or write is refused: they may know the secret. */
record OwnerOnlyFile(Path file) {
    private static final Set<PosixFilePermission> OWNER = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    /**
     * Refuses a file that others can read. A file system without POSIX permissions has none to check.
     *
     * @param remedy what to do after {@code chmod}
     * @throws CommandFailure when others can read it
     */
    void require(String remedy) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null && !OWNER.containsAll(view.readAttributes().permissions())) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "%s can be read by others, so that its tokens may be known: run `chmod 600 %s`, and %s"
                            .formatted(file, file, remedy));
        }
    }
}
