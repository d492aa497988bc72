package service.core.cluster;

/** Another process works on the cluster: the lock is held, or the ledger has changed. Nothing was changed. */
public final class ClusterConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ClusterConflictException(String message) {
        super(message, null, false, false);
    }

    /** The message; never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
