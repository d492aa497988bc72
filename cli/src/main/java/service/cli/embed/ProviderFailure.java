package service.cli.embed;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.EmbeddingSource;

/**
 * Why a provider gave no vectors, in words that follow its name. They repeat nothing that it or the caller has sent.
 */
final class ProviderFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String why;

    ProviderFailure(String why) {
        super(why, null, false, false);
        this.why = why;
    }

    /** The failure of a call. */
    static ProviderFailure of(@Nullable Throwable failure) {
        return switch (failure) {
            case ProviderFailure known -> known;
            case ConnectException none -> new ProviderFailure("cannot be reached");
            case HttpTimeoutException late -> new ProviderFailure("does not answer");
            case IOException broken when broken.getCause() instanceof ProviderFailure known -> known;
            case null, default -> new ProviderFailure("broke the connection off");
        };
    }

    String why() {
        return why;
    }

    /** 503: the graph serves everything else. */
    ServiceException refusal(EmbeddingSource source) {
        return new ServiceException(
                ErrorCode.EMBEDDING_UNAVAILABLE,
                "the embedding provider `%s` %s; try again, or give the vector as a parameter"
                        .formatted(source.name(), why));
    }
}
