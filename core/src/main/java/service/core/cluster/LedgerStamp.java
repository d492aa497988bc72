package service.core.cluster;

import org.jspecify.annotations.Nullable;

/**
 * The version of a ledger that was read or written.
 *
 * @param revision 0 when there is no ledger
 * @param cas {@code sha256:<hex>} of its bytes; null when there is no ledger
 * @param appliedDigest digest over all applied resources; null when nothing is applied
 */
public record LedgerStamp(
        long revision, @Nullable String cas, @Nullable String appliedDigest) {
    /** The stamp of a root without a ledger. */
    static final LedgerStamp NONE = new LedgerStamp(0, null, null);

    static LedgerStamp of(Ledger ledger, byte[] bytes) {
        return new LedgerStamp(
                ledger.revision(),
                Stamps.of(bytes),
                ledger.applied() == null ? null : ledger.applied().configDigest());
    }
}
