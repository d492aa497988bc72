package service.log.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import service.core.blob.StageFile;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/** A stage's file in a directory, deleted when it is closed. */
final class StagedFile implements StageFile {
    private final Path directory;
    private final FileChannel channel;

    private StagedFile(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /** Creates the file, and the directory when it does not exist. */
    static StagedFile open(Path directory) {
        try {
            Files.createDirectories(directory);
            return new StagedFile(
                    directory,
                    FileChannel.open(
                            Files.createTempFile(directory, "request-", ".blobs"),
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.DELETE_ON_CLOSE));
        } catch (IOException e) {
            throw failed(directory, e);
        }
    }

    @Override
    public void write(long at, byte[] bytes, int count) {
        try {
            ByteBuffer from = ByteBuffer.wrap(bytes, 0, count);
            while (from.hasRemaining()) {
                channel.write(from, at + from.position());
            }
        } catch (IOException e) {
            throw failed(directory, e);
        }
    }

    @Override
    public void read(long at, byte[] into, int offset, int count) {
        try {
            ByteBuffer to = ByteBuffer.wrap(into, offset, count);
            while (to.hasRemaining()) {
                if (channel.read(to, at + to.position() - offset) < 0) {
                    throw new IOException("the file ends early");
                }
            }
        } catch (IOException e) {
            throw failed(directory, e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw failed(directory, e);
        }
    }

    private static ServiceException failed(Path directory, IOException cause) {
        return new ServiceException(
                ErrorCode.STORAGE_FULL,
                "the blobs of the request cannot be kept in " + directory + " (" + cause.getMessage()
                        + "); free some space and try again",
                null,
                cause);
    }
}
